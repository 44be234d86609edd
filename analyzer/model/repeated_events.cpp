// SPDX-License-Identifier: Apache-2.0
#include "model/repeated_events.h"

#include "model/collective_match.h"
#include "model/optimizer_work.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <unordered_map>

namespace ringside::model {
namespace {

constexpr std::uint64_t kTokenFactor = 1'000'003;

/// Identifies the function, the communicator and the peer.
std::uint64_t kindOf(const trace::CollectiveCallRow& call)
{
    const std::uint64_t kind = call.api * kTokenFactor + static_cast<std::uint64_t>(call.communicator);
    return kind * kTokenFactor + static_cast<std::uint64_t>(call.peer.value_or(-1));
}

std::uint64_t tokenOf(const trace::CollectiveCallRow& call)
{
    const std::uint64_t token = kindOf(call) * kTokenFactor + call.bytes.value_or(0);
    return token * kTokenFactor + static_cast<std::uint64_t>(call.datatype.value_or(-1));
}

/// Returns whether neither the bytes nor the elements of a call are known.
bool isSizeUnknown(const trace::CollectiveCallRow& call)
{
    return !call.bytes && !call.count;
}

/// The launch of a kernel.
struct Launch {
    std::int64_t startNs = 0;
    trace::StringId kernel = 0;
};

/// Returns the launches of kernels for each thread id (ThreadRow::id), by start.
std::map<std::int64_t, std::vector<Launch>> kernelLaunches(const trace::ProcessTrace& process)
{
    std::unordered_map<std::int64_t, std::int64_t> ids; // ThreadRow::id by ThreadRow::tid
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

/// Adds the kernels that the thread launched since its previous call to the full token. Without sizes all
/// calls of one function look the same, and these kernels distinguish them.
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
            own.fullToken = own.fullToken * kTokenFactor + thread->second[next].kernel;
        }
    }
}

bool isReduction(std::string_view api)
{
    const CollectiveKind kind = collectiveKind(api);
    return kind == CollectiveKind::AllReduce || kind == CollectiveKind::ReduceScatter ||
           kind == CollectiveKind::Reduce;
}

/// Returns the collectives that ran, in the order of the calls.
std::vector<RepeatedEvent> callEvents(const trace::ProcessTrace& process)
{
    constexpr std::uint64_t kFewBytes = 4096;
    std::vector<RepeatedEvent> events;
    for (std::size_t row = 0; row < process.collectiveCalls.size(); ++row) {
        const trace::CollectiveCallRow& call = process.collectiveCalls[row];
        if (!call.graph) {
            const std::uint64_t token = tokenOf(call);
            const bool fewBytes = call.bytes && *call.bytes < kFewBytes;
            const bool reduces = !fewBytes && isReduction(process.text(call.api));
            events.push_back(
                {{call.startNs, call.endNs}, token, token, kindOf(call), row, 0, fewBytes, reduces});
        }
    }
    if (std::any_of(process.collectiveCalls.begin(), process.collectiveCalls.end(), isSizeUnknown)) {
        addKernelsBefore(process, events);
    }
    return events;
}

void addGraphLaunches(const trace::ProcessTrace& process, std::vector<RepeatedEvent>& events)
{
    const trace::GraphLaunchColumns& launches = process.graphLaunches;
    for (std::size_t i = 0; i < launches.size(); ++i) {
        // A launch has one row for each communicator.
        if (i == 0 || launches.launch[i] != launches.launch[i - 1]) {
            const std::uint64_t token = ~std::uint64_t{launches.graph[i]};
            events.push_back({{launches.startNs[i], launches.endNs[i]},
                              token,
                              token,
                              token,
                              0,
                              launches.launch[i],
                              false,
                              true});
        }
    }
    if (launches.size() > 0) {
        std::stable_sort(events.begin(), events.end(), [](const RepeatedEvent& a, const RepeatedEvent& b) {
            return a.time.start < b.time.start;
        });
    }
}

/// Marks the events before which the optimizer ran. Events need not be strictly in the order of their times,
/// because calls of several threads are not.
void markOptimizer(const std::vector<std::int64_t>& times, std::vector<RepeatedEvent>& events)
{
    std::size_t next = 0;
    for (RepeatedEvent& event : events) {
        while (next < times.size() && times[next] <= event.time.start) {
            event.optimizerBefore = true;
            ++next;
        }
    }
}

} // namespace

std::vector<RepeatedEvent> repeatedEvents(const trace::ProcessTrace& process)
{
    std::vector<RepeatedEvent> events = callEvents(process);
    addGraphLaunches(process, events);
    markOptimizer(optimizerTimes(process), events);
    return events;
}

} // namespace ringside::model
