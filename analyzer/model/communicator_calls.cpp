// SPDX-License-Identifier: Apache-2.0
#include "model/communicator_calls.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ringside::model {

std::uint64_t sharedHash(const trace::CommunicatorRow& row)
{
    return row.hash != 0 ? row.hash : row.ncclHash.value_or(0);
}

std::vector<std::pair<CommunicatorKey, const trace::CommunicatorRow*>>
communicatorsOf(const Rank& rank, const trace::ProcessTrace& process)
{
    std::vector<const trace::CommunicatorRow*> rows;
    for (const trace::CommunicatorRow& row : process.communicators) {
        if (rank.owns(static_cast<std::uint32_t>(row.device))) {
            rows.push_back(&row);
        }
    }
    std::sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) {
        return std::tie(a->createdNs, a->id) < std::tie(b->createdNs, b->id);
    });
    std::unordered_map<std::uint64_t, std::size_t> uses;
    std::vector<std::pair<CommunicatorKey, const trace::CommunicatorRow*>> result;
    for (const trace::CommunicatorRow* const row : rows) {
        const std::uint64_t hash = sharedHash(*row);
        const std::size_t use =
            hash != 0 ? uses[hash]++ : rank.process << 32 | static_cast<std::size_t>(row->id);
        result.emplace_back(CommunicatorKey(hash, use), row);
    }
    return result;
}

std::unordered_map<std::int64_t, std::vector<Run>> runsOf(const trace::ProcessTrace& process)
{
    std::unordered_map<std::int64_t, std::vector<Run>> runs;
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::size_t>> captured; // graph, communicator
    for (std::size_t i = 0; i < process.collectiveCalls.size(); ++i) {
        const trace::CollectiveCallRow& call = process.collectiveCalls[i];
        if (call.graph) {
            captured[{*call.graph, call.communicator}].push_back(i);
        } else {
            runs[call.communicator].push_back({i, call.sequence, 0, call.startNs});
        }
    }
    const trace::GraphLaunchColumns& launches = process.graphLaunches;
    for (std::size_t i = 0; i < launches.size() && !captured.empty(); ++i) {
        const std::int64_t communicator = launches.communicator[i];
        const auto calls = captured.find({launches.graph[i], communicator});
        if (calls == captured.end() || calls->second.size() != launches.calls[i]) {
            continue; // records of the capture are missing, and it is not known which
        }
        auto sequence = static_cast<std::int64_t>(launches.sequence[i]);
        for (const std::size_t call : calls->second) {
            runs[communicator].push_back({call, sequence++, launches.launch[i], launches.startNs[i]});
        }
    }
    return runs;
}

} // namespace ringside::model
