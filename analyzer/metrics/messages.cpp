// SPDX-License-Identifier: Apache-2.0
#include "metrics/messages.h"

#include <map>
#include <unordered_map>

namespace ringside::metrics {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40U; // more means "unknown" (-1) or damage

using Members = std::map<std::pair<std::uint64_t, std::int64_t>, std::int64_t>;

/// Maps (communicator hash, rank in it) to the rank number in the run.
Members membersOf(const model::Model& model)
{
    Members members;
    for (const model::Rank& rank : model.ranks) {
        for (const trace::CommunicatorRow& row : model.processOf(rank).communicators) {
            if (rank.owns(static_cast<std::uint32_t>(row.device))) {
                members.emplace(std::pair(row.hash, row.rank), rank.rank);
            }
        }
    }
    return members;
}

std::unordered_map<std::int64_t, const trace::CommunicatorRow*>
communicatorsById(const trace::ProcessTrace& process)
{
    std::unordered_map<std::int64_t, const trace::CommunicatorRow*> byId;
    for (const trace::CommunicatorRow& row : process.communicators) {
        byId.emplace(row.id, &row);
    }
    return byId;
}

/// Returns the communicator of each NCCL operation of a process, by operation id.
std::unordered_map<std::uint64_t, const trace::CommunicatorRow*>
communicatorsOf(const trace::ProcessTrace& process)
{
    const auto byId = communicatorsById(process);
    std::unordered_map<std::uint64_t, const trace::CommunicatorRow*> result;
    for (const trace::NcclOperationRow& row : process.ncclOperations) {
        if (const auto found = byId.find(row.communicator); found != byId.end()) {
            result.emplace(static_cast<std::uint64_t>(row.id), found->second);
        }
    }
    return result;
}

/// Returns the rank number in the run of rank `peer` in communicator `row`. Null if it is not known, or the
/// communicator is not the sender's.
std::optional<std::int64_t> receiverOf(const Members& members, const trace::CommunicatorRow& row,
                                       const model::Rank& sender, std::int64_t peer)
{
    const auto own = members.find({row.hash, row.rank});
    const auto other = members.find({row.hash, peer});
    const bool known = own != members.end() && own->second == sender.rank && other != members.end();
    return known ? std::optional(other->second) : std::nullopt;
}

struct Pair {
    std::int64_t messages = 0;
    std::int64_t bytes = 0;
    std::vector<double> rates; ///< bytes per ns
};
using Pairs = std::map<std::pair<std::int64_t, std::int64_t>, Pair>;

void add(Pair& pair, std::uint64_t bytes)
{
    ++pair.messages;
    pair.bytes = model::addCapped(pair.bytes, static_cast<std::int64_t>(bytes));
}

Pairs sentByCalls(const model::Model& model, std::optional<std::uint64_t> communicator)
{
    const Members members = membersOf(model);
    Pairs pairs;
    for (const model::Rank& rank : model.ranks) {
        const trace::ProcessTrace& process = model.processOf(rank);
        const auto byId = communicatorsById(process);
        for (const trace::CollectiveCallRow& call : process.collectiveCalls) {
            const auto found = byId.find(call.communicator);
            const bool sends = model::collectiveKind(process.text(call.api)) == model::CollectiveKind::Send &&
                               call.peer && !call.graph && call.bytes && *call.bytes <= kMostBytes;
            if (!sends || found == byId.end() || (communicator && found->second->hash != *communicator)) {
                continue;
            }
            if (const auto receiver = receiverOf(members, *found->second, rank, *call.peer)) {
                add(pairs[{rank.rank, *receiver}], *call.bytes);
            }
        }
    }
    return pairs;
}

Pairs sentByProxies(const model::Model& model, std::optional<std::uint64_t> communicator)
{
    Pairs pairs;
    forEachMessage(model, [&](const NetworkMessage& message) {
        if (!communicator || message.communicator == *communicator) {
            Pair& pair = pairs[{message.sender->rank, message.receiver}];
            add(pair, message.bytes);
            pair.rates.push_back(static_cast<double>(message.bytes) / static_cast<double>(message.networkNs));
        }
    });
    return pairs;
}

} // namespace

void forEachMessage(const model::Model& model, const std::function<void(const NetworkMessage&)>& visit)
{
    const Members members = membersOf(model);
    for (const model::Rank& rank : model.ranks) {
        const trace::ProcessTrace& process = model.processOf(rank);
        const trace::ProxyStepColumns& steps = process.proxySteps;
        const auto communicators = communicatorsOf(process);
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const auto communicator = communicators.find(steps.operation[i]);
            if (steps.isSend[i] == 0 || steps.networkWaitNs[i] <= 0 || steps.bytes[i] > kMostBytes ||
                communicator == communicators.end()) {
                continue; // a receive, a send without network time, damaged, or of an unknown communicator
            }
            const trace::CommunicatorRow& row = *communicator->second;
            if (const auto receiver = receiverOf(members, row, rank, steps.peer[i])) {
                visit({&rank,
                       *receiver,
                       row.hash,
                       steps.bytes[i],
                       steps.networkWaitNs[i],
                       {steps.startNs[i], steps.endNs[i]}});
            }
        }
    }
}

Traffic trafficOf(const model::Model& model, std::optional<std::uint64_t> communicator)
{
    Traffic traffic{Traffic::Source::Network, {}};
    Pairs pairs = sentByProxies(model, communicator);
    if (pairs.empty()) {
        traffic.source = Traffic::Source::Calls;
        pairs = sentByCalls(model, communicator);
    }
    if (pairs.empty()) {
        return {};
    }
    for (auto& [ends, pair] : pairs) {
        const std::optional<double> rate =
            pair.rates.empty() ? std::nullopt : std::optional(model::median(std::move(pair.rates)));
        traffic.pairs.push_back({ends.first, ends.second, pair.messages, pair.bytes, rate});
    }
    return traffic;
}

} // namespace ringside::metrics
