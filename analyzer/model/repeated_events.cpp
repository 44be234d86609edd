// SPDX-License-Identifier: Apache-2.0
#include "model/repeated_events.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <unordered_map>

namespace ringside::model {
namespace {

constexpr std::uint64_t kFactor = 1'000'003;

std::uint64_t tokenOf(const trace::CollectiveCallRow& call)
{
    std::uint64_t token = call.api;
    token = token * kFactor + static_cast<std::uint64_t>(call.communicator);
    token = token * kFactor + call.bytes;
    return token * kFactor + static_cast<std::uint64_t>(call.datatype.value_or(-1));
}

bool isSizeUnknown(const trace::CollectiveCallRow& call)
{
    return call.bytes == 0 && !call.count;
}

/// A kernel that was launched.
struct Launch {
    std::int64_t startNs = 0;
    trace::StringId kernel = 0;
};

/// Launches of kernels by thread id, by start.
std::map<std::int64_t, std::vector<Launch>> kernelLaunches(const trace::ProcessTrace& process)
{
    std::unordered_map<std::int64_t, std::int64_t> ids; // of threads by the kernel's
    for (const trace::ThreadRow& row : process.threads) {
        ids.emplace(row.tid, row.id);
    }
    std::unordered_map<std::uint32_t, trace::StringId> names;
    for (std::size_t i = 0; i < process.kernels.size(); ++i) {
        names.emplace(process.kernels.correlation[i], process.kernels.name[i]);
    }
    std::map<std::int64_t, std::vector<Launch>> launches;
    for (std::size_t i = 0; i < process.launches.size(); ++i) {
        const auto id = ids.find(process.launches.tid[i]);
        const auto name = names.find(process.launches.correlation[i]);
        if (id != ids.end() && name != names.end()) {
            launches[id->second].push_back({process.launches.startNs[i], name->second});
        }
    }
    return launches;
}

/// Without sizes all calls of one function look the same: the kernels that the thread launched since the call
/// before tell them apart.
void addKernelsBefore(const trace::ProcessTrace& process, std::vector<RepeatedEvent>& events)
{
    const auto launches = kernelLaunches(process);
    std::map<std::int64_t, std::size_t> reached; // by thread
    std::size_t event = 0;
    for (const trace::CollectiveCallRow& call : process.collectiveCalls) {
        if (call.graph) {
            continue;
        }
        RepeatedEvent& own = events[event++];
        const auto thread = launches.find(call.thread);
        if (thread == launches.end() || !isSizeUnknown(call)) {
            continue;
        }
        std::size_t& next = reached[call.thread];
        for (; next < thread->second.size() && thread->second[next].startNs < call.startNs; ++next) {
            own.fullToken = own.fullToken * kFactor + thread->second[next].kernel;
        }
    }
}

} // namespace

std::vector<RepeatedEvent> repeatedEvents(const trace::ProcessTrace& process)
{
    std::vector<RepeatedEvent> events;
    for (std::size_t row = 0; row < process.collectiveCalls.size(); ++row) {
        const trace::CollectiveCallRow& call = process.collectiveCalls[row];
        if (!call.graph) {
            const std::uint64_t token = tokenOf(call);
            events.push_back({{call.startNs, call.endNs}, token, token, row, 0});
        }
    }
    if (std::any_of(process.collectiveCalls.begin(), process.collectiveCalls.end(), isSizeUnknown)) {
        addKernelsBefore(process, events);
    }
    const trace::GraphLaunchColumns& launches = process.graphLaunches;
    for (std::size_t i = 0; i < launches.size(); ++i) {
        if (i == 0 || launches.launch[i] != launches.launch[i - 1]) { // one row a communicator
            const std::uint64_t token = ~std::uint64_t{launches.graph[i]};
            events.push_back({{launches.startNs[i], launches.endNs[i]}, token, token, 0, launches.launch[i]});
        }
    }
    if (launches.size() > 0) {
        std::stable_sort(events.begin(), events.end(), [](const RepeatedEvent& a, const RepeatedEvent& b) {
            return a.time.start < b.time.start;
        });
    }
    return events;
}

} // namespace ringside::model
