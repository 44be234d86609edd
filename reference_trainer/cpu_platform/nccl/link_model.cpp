// SPDX-License-Identifier: Apache-2.0
#include "link_model.h"

#include "collectives.h"
#include "communicator.h"
#include "platform.h"

#include <algorithm>
#include <bit>

namespace ringside::nccl {
namespace {

struct Link {
    double bandwidth; ///< bytes/s, 0: unlimited
    double latencyNs;

    [[nodiscard]] double ns(double bytes, double steps) const
    {
        return (bandwidth > 0 ? bytes / bandwidth * 1e9 : 0) + steps * latencyNs;
    }
};

double number(const char* key, double fallback)
{
    return ringside_platform_model_number(key, fallback);
}

/// Returns the link between two ranks, numbered as in the first communicator of the chain of splits.
Link linkBetween(int rank, int other)
{
    const Link usual{number("link_bandwidth", 0), number("link_latency_ns", 0)};
    const auto [low, high] = std::minmax({number("slow_link_a", -1), number("slow_link_b", -1)});
    if (low != std::min(rank, other) || high != std::max(rank, other))
        return usual;
    return {number("slow_link_bandwidth", usual.bandwidth), number("slow_link_latency_ns", usual.latencyNs)};
}

Link linkBetween(const Communicator& communicator, int rank, int other)
{
    return linkBetween(communicator.worldRank(rank), communicator.worldRank(other));
}

/// The load of a collective on each link of the ring, and its number of dependent steps. `unused`: the rank
/// whose link to the next one carries nothing, -1 for none.
struct RingLoad {
    double bytes = 0;
    double steps = 0;
    int unused = -1;
};

RingLoad loadOf(const Operation& operation, int ranks)
{
    const auto bytes = static_cast<double>(operation.bytes());
    const double others = ranks - 1;
    switch (operation.kind) {
    case Kind::AllReduce:
        return {.bytes = bytes * 2 * others / ranks, .steps = 2 * others};
    case Kind::Broadcast:
        return {.bytes = bytes, .steps = others, .unused = (operation.peer + ranks - 1) % ranks};
    case Kind::Reduce:
        return {.bytes = bytes, .steps = others, .unused = operation.peer};
    default: // AllGather and ReduceScatter
        return {.bytes = bytes * others, .steps = others};
    }
}

/// Models NCCL's two trees for an all-reduce: a rank exchanges half of the data with one parent and two
/// children, up and down, over the links of the tree.
double treeNs(const Operation& operation)
{
    const int ranks = operation.communicator->size();
    const double bytes = static_cast<double>(operation.bytes()) * std::min(2, ranks - 1);
    const int depth = std::bit_width(static_cast<unsigned>(ranks)) - 1;
    double slowest = 0;
    for (int rank = 1; rank < ranks; ++rank)
        slowest = std::max(slowest,
                           linkBetween(*operation.communicator, rank, treeParent(rank)).ns(bytes, 2 * depth));
    return slowest;
}

double collectiveNs(const Operation& operation)
{
    if (operation.algorithm == Algorithm::Tree)
        return treeNs(operation);
    const int ranks = operation.communicator->size();
    const RingLoad load = loadOf(operation, ranks);
    double slowest = 0;
    for (int rank = 0; ranks > 1 && rank < ranks; ++rank)
        if (rank != load.unused)
            slowest = std::max(
                slowest,
                linkBetween(*operation.communicator, rank, (rank + 1) % ranks).ns(load.bytes, load.steps));
    return slowest;
}

/// Returns the time of all transfers of a rank in one direction: bytes add up, latencies overlap.
double transfersNs(const std::vector<Operation>& operations, Kind direction)
{
    double bytesNs = 0;
    double latencyNs = 0;
    for (const Operation& operation : operations) {
        const int self = operation.communicator->rank();
        if (operation.kind != direction || operation.peer == self)
            continue;
        const Link link = linkBetween(*operation.communicator, self, operation.peer);
        bytesNs += link.ns(static_cast<double>(operation.bytes()), 0);
        latencyNs = std::max(latencyNs, link.latencyNs);
    }
    return bytesNs + latencyNs;
}

} // namespace

std::chrono::nanoseconds modelledTime(const std::vector<Operation>& operations)
{
    double sumNs = std::max(transfersNs(operations, Kind::Send), transfersNs(operations, Kind::Recv));
    for (const Operation& operation : operations)
        if (!operation.pointToPoint())
            sumNs += collectiveNs(operation);
    return std::chrono::nanoseconds(static_cast<std::int64_t>(sumNs));
}

} // namespace ringside::nccl
