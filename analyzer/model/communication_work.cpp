// SPDX-License-Identifier: Apache-2.0
#include "model/communication_work.h"

#include "model/kernel_class.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace ringside::model {
namespace {

using Rows = std::vector<std::uint32_t>;

/// One kernel that a graph should contain: that of a captured call, or of a captured group on one
/// communicator.
struct Unit {
    WorkKey work;
    std::int64_t device = -1;
};

/// Returns the units of each graph by graph id, in the order of the capture.
std::unordered_map<std::uint32_t, std::vector<Unit>> capturedUnits(const trace::ProcessTrace& process)
{
    std::unordered_map<std::int64_t, std::int64_t> deviceOf;
    for (const trace::CommunicatorRow& row : process.communicators) {
        deviceOf.emplace(row.id, row.device);
    }
    std::unordered_map<std::uint32_t, std::vector<Unit>> units;
    std::set<std::tuple<std::int64_t, std::uint64_t, std::int64_t>> seen; // graph, call, communicator
    for (const trace::CollectiveCallRow& call : process.collectiveCalls) {
        const WorkKey work{static_cast<std::uint64_t>(call.groupId != 0 ? call.groupId : call.id), 0,
                           call.communicator};
        if (call.graph && seen.emplace(*call.graph, work.call, work.communicator).second) {
            const auto device = deviceOf.find(call.communicator);
            units[static_cast<std::uint32_t>(*call.graph)].push_back(
                {work, device != deviceOf.end() ? device->second : -1});
        }
    }
    return units;
}

struct Launched {
    std::uint32_t graph;
    std::int64_t startNs; ///< of the host call
    Rows rows;            ///< its communication kernels
};

std::unordered_map<std::uint32_t, std::uint64_t>
callsByCorrelation(const trace::CallCorrelationColumns& links)
{
    std::unordered_map<std::uint32_t, std::uint64_t> calls;
    calls.reserve(links.size());
    for (std::size_t i = 0; i < links.size(); ++i) {
        calls.emplace(links.correlation[i], links.call[i]);
    }
    return calls;
}

/// Adds the kernels of one launch. Returns false and adds none if there is not exactly one for each captured
/// unit.
bool attribute(CommunicationWork& result, const trace::KernelColumns& kernels, Rows rows,
               const std::vector<Unit>& units, std::uint64_t launch)
{
    std::sort(rows.begin(), rows.end(),
              [&](std::uint32_t a, std::uint32_t b) { return kernels.graphNode[a] < kernels.graphNode[b]; });
    bool fits = rows.size() == units.size();
    for (std::size_t i = 0; i < rows.size() && fits; ++i) {
        const std::uint64_t before = i == 0 ? 0 : kernels.graphNode[rows[i - 1]];
        fits = kernels.graphNode[rows[i]] > before && // the order is unknown if a node is 0 or occurs twice
               (units[i].device < 0 || units[i].device == static_cast<std::int64_t>(kernels.device[rows[i]]));
    }
    for (std::size_t i = 0; i < rows.size() && fits; ++i) {
        result.kernels.push_back({rows[i], {units[i].work.call, launch, units[i].work.communicator}});
    }
    return fits;
}

} // namespace

std::size_t WorkKeyHash::operator()(const WorkKey& key) const
{
    constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15ULL;
    std::uint64_t hash = key.call * kMultiplier;
    hash = (hash ^ hash >> 32U ^ key.launch) * kMultiplier;
    hash = (hash ^ hash >> 32U ^ static_cast<std::uint64_t>(key.communicator)) * kMultiplier;
    return static_cast<std::size_t>(hash ^ hash >> 32U);
}

WorkKey workOf(const trace::CollectiveCallRow& call, std::uint64_t launch)
{
    return {static_cast<std::uint64_t>(call.groupId != 0 ? call.groupId : call.id), launch,
            launch != 0 ? call.communicator : 0};
}

CommunicationWork findCommunicationWork(const trace::ProcessTrace& process, const KernelClasses& classes)
{
    const auto callOf = callsByCorrelation(process.callCorrelations);
    std::unordered_map<std::uint64_t, Launched> launches;
    for (std::size_t i = 0; i < process.graphLaunches.size(); ++i) {
        launches.try_emplace(process.graphLaunches.launch[i],
                             Launched{process.graphLaunches.graph[i], process.graphLaunches.startNs[i], {}});
    }
    CommunicationWork result;
    const trace::KernelColumns& kernels = process.kernels;
    for (std::size_t i = 0; i < kernels.size() && !callOf.empty(); ++i) {
        const auto call = classes.of(kernels.name[i]) == KernelClass::Communication
                              ? callOf.find(kernels.correlation[i])
                              : callOf.end();
        if (call == callOf.end()) {
            continue;
        }
        const auto row = static_cast<std::uint32_t>(i);
        if (const auto launch = launches.find(call->second); launch != launches.end()) {
            launch->second.rows.push_back(row);
        } else {
            result.kernels.push_back({row, {call->second, 0, 0}});
        }
    }
    const auto units = capturedUnits(process);
    for (auto& [launch, work] : launches) {
        const auto captured = units.find(work.graph);
        const bool fits =
            work.rows.empty() || (captured != units.end() &&
                                  attribute(result, kernels, std::move(work.rows), captured->second, launch));
        if (!fits) {
            result.unmatchedLaunches.push_back(work.startNs);
        }
    }
    return result;
}

} // namespace ringside::model
