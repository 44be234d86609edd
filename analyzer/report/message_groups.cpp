// SPDX-License-Identifier: Apache-2.0
#include "report/message_groups.h"

#include "model/communicator_calls.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

namespace ringside::report {
namespace {

struct Collected {
    MessageGroup group;
    std::set<std::size_t> ranks;
    std::set<std::tuple<std::size_t, std::int64_t, std::int64_t>> pairs; ///< rank, communicator, peer
};
using CollectedByKey = std::map<std::pair<model::CollectiveKind, std::optional<std::uint64_t>>, Collected>;

void addCall(Collected& to, model::CollectiveKind kind, std::size_t rank,
             const trace::CollectiveCallRow& call)
{
    constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
    MessageGroup& group = to.group;
    group.kind = kind;
    group.bytes = call.bytes;
    ++group.calls;
    if (call.bytes) {
        const std::uint64_t before = group.totalBytes.value_or(0);
        group.totalBytes = before > kMost - *call.bytes ? kMost : before + *call.bytes;
    }
    to.ranks.insert(rank);
    to.pairs.insert({rank, call.communicator, call.peer.value_or(-1)});
}

void collect(const model::Model& model, std::size_t rank, CollectedByKey& collected)
{
    const trace::ProcessTrace& process = model.processOf(model.ranks[rank]);
    const auto runs = model::runsOf(process);
    for (const auto& [key, communicator] : model::communicatorsOf(model.ranks[rank], process)) {
        const auto own = runs.find(communicator->id);
        for (std::size_t i = 0; own != runs.end() && i < own->second.size(); ++i) {
            const model::Run& run = own->second[i];
            const trace::CollectiveCallRow& call = process.collectiveCalls[run.call];
            const model::CollectiveKind kind = model::collectiveKind(process.text(call.api));
            if (model::isPointToPoint(kind) &&
                model.stretchTimes.holds(model.ranks[rank].process, run.startNs)) {
                addCall(collected[{kind, call.bytes}], kind, rank, call);
            }
        }
    }
}

} // namespace

bool isBefore(const MessageGroup& a, const MessageGroup& b)
{
    return std::tie(a.kind, b.totalBytes) < std::tie(b.kind, a.totalBytes);
}

std::vector<MessageGroup> messageGroups(const model::Model& model)
{
    CollectedByKey collected;
    for (std::size_t rank = 0; rank < model.ranks.size(); ++rank) {
        collect(model, rank, collected);
    }
    std::vector<MessageGroup> groups;
    for (auto& [key, of] : collected) {
        of.group.ranks = std::ssize(of.ranks);
        of.group.pairs = std::ssize(of.pairs);
        groups.push_back(of.group);
    }
    std::ranges::stable_sort(groups, isBefore);
    return groups;
}

} // namespace ringside::report
