// SPDX-License-Identifier: Apache-2.0
#include "split.h"

#include "collectives.h"
#include "debug_log.h"
#include "errors.h"
#include "init_log.h"
#include "rendezvous_server.h"
#include "signal_guard.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace ringside::nccl {
namespace {

struct Colored {
    int color;
    int key;
};

/// The values of all ranks, by rank.
template <class Value>
std::vector<Value> exchange(Communicator& parent, std::uint64_t slot, const Value& own)
{
    std::vector<Value> all(static_cast<std::size_t>(parent.size()), own);
    if (parent.mesh() == nullptr)
        return all;
    Operation operation;
    operation.kind = Kind::AllGather;
    operation.source = &own;
    operation.target = all.data();
    operation.count = sizeof own;
    operation.element = 1;
    operation.slot = slot;
    const PipeSignalBlocked guard;
    try {
        allGather(*parent.mesh(), operation);
    } catch (const Failure&) {
        throw;
    } catch (const std::exception& error) {
        throw Failure(ncclRemoteError, std::string("a peer failed during ncclCommSplit: ") + error.what());
    }
    return all;
}

/// Returns the ranks of a colour in their new order: by key, then by old rank.
std::vector<int> members(const std::vector<Colored>& all, int color)
{
    std::vector<int> ranks;
    for (std::size_t rank = 0; rank < all.size(); ++rank)
        if (all[rank].color == color)
            ranks.push_back(static_cast<int>(rank));
    std::ranges::stable_sort(ranks, {}, [&](int rank) { return all[static_cast<std::size_t>(rank)].key; });
    return ranks;
}

InitLine lineOf(const SplitRequest& request, const Communicator& parent, const std::vector<int>& ranks,
                const UniqueId& id)
{
    return {.function = "ncclCommSplit",
            .handle = request.childHandle,
            .rank = static_cast<int>(std::ranges::find(ranks, parent.rank()) - ranks.begin()),
            .ranks = static_cast<int>(ranks.size()),
            .device = parent.device(),
            .hash = hashOf(id),
            .split = {.parent = request.parentHandle,
                      .count = request.count,
                      .color = request.color,
                      .key = request.key}};
}

} // namespace

SplitRequest requestSplit(Communicator& parent, int color, int key)
{
    require(color >= 0 || color == NCCL_SPLIT_NOCOLOR, "color must not be negative");
    const std::uint64_t placeSlot = parent.takeSlot();
    return {.color = color,
            .key = key,
            .count = parent.nextSplit(),
            .placeSlot = placeSlot,
            .idSlot = parent.takeSlot()};
}

std::shared_ptr<Communicator> split(Communicator& parent, const SplitRequest& request)
{
    const auto all = exchange<Colored>(parent, request.placeSlot, {request.color, request.key});
    const bool joins = request.color != NCCL_SPLIT_NOCOLOR;
    const std::vector<int> ranks = joins ? members(all, request.color) : std::vector<int>();
    ncclUniqueId id{};
    if (joins && ranks.front() == parent.rank())
        id = encode(startRendezvousServer());
    const std::vector<ncclUniqueId> ids = exchange(parent, request.idSlot, id);
    if (!joins) {
        RINGSIDE_NCCL_INFO(kLogInit,
                           "Rank %d has color with NCCL_SPLIT_NOCOLOR, not creating a new communicator",
                           parent.rank());
        return nullptr;
    }
    const UniqueId childId = decode(ids[static_cast<std::size_t>(ranks.front())]);
    const InitLine line = lineOf(request, parent, ranks, childId);
    Place place{.rank = line.rank, .size = line.ranks, .device = line.device, .name = request.name};
    for (const int rank : ranks)
        place.worldRanks.push_back(parent.worldRank(rank));
    return announced(line, [&] { return std::make_shared<Communicator>(childId, std::move(place)); });
}

} // namespace ringside::nccl
