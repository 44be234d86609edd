// SPDX-License-Identifier: Apache-2.0
// Collectives in which all ranks send and receive. All-reduce is reduce-scatter and all-gather on the same
// memory.
#include "collectives.h"
#include "ring.h"

#include <cstring>
#include <memory>

namespace ringside::nccl {
namespace {

void copyIfApart(void* target, const void* source, std::size_t size)
{
    if (target != source && size > 0)
        std::memcpy(target, source, size);
}

} // namespace

void allReduce(Mesh& mesh, const Operation& operation)
{
    if (operation.count == 0)
        return;
    copyIfApart(operation.target, operation.source, operation.bytes());
    operation.prepare(operation.target, operation.count);
    const std::vector<Segment> segments = split(operation.count, operation.element, mesh.size());
    const RingData data{.mesh = mesh,
                        .slot = operation.slot,
                        .memory = static_cast<char*>(operation.target),
                        .segments = segments};
    ReduceScatterPass scatter(data, operation.reduction, operation.element);
    AllGatherPass gather(data);
    scatter.run();
    const Segment& own = segments[static_cast<std::size_t>(mesh.rank())];
    operation.finish(data.memory + own.offset, own.size / operation.element, mesh.size());
    gather.run();
    scatter.waitSent();
}

void allGather(Mesh& mesh, const Operation& operation)
{
    if (operation.count == 0)
        return;
    const auto ranks = static_cast<std::size_t>(mesh.size());
    const std::vector<Segment> segments = split(operation.count * ranks, operation.element, mesh.size());
    char* const memory = static_cast<char*>(operation.target);
    copyIfApart(memory + segments[static_cast<std::size_t>(mesh.rank())].offset, operation.source,
                operation.bytes());
    const RingData data{.mesh = mesh, .slot = operation.slot, .memory = memory, .segments = segments};
    AllGatherPass(data).run();
}

void reduceScatter(Mesh& mesh, const Operation& operation)
{
    if (operation.count == 0)
        return;
    const auto ranks = static_cast<std::size_t>(mesh.size());
    const std::vector<Segment> segments = split(operation.count * ranks, operation.element, mesh.size());
    // The caller's input is read-only, so that partial results need their own memory.
    const auto partial = std::make_unique_for_overwrite<char[]>(operation.bytes() * ranks);
    std::memcpy(partial.get(), operation.source, operation.bytes() * ranks);
    operation.prepare(partial.get(), operation.count * ranks);
    const RingData data{.mesh = mesh, .slot = operation.slot, .memory = partial.get(), .segments = segments};
    ReduceScatterPass scatter(data, operation.reduction, operation.element);
    scatter.run();
    std::memcpy(operation.target, partial.get() + segments[static_cast<std::size_t>(mesh.rank())].offset,
                operation.bytes());
    operation.finish(operation.target, operation.count, mesh.size());
    scatter.waitSent();
}

void copyLocally(const Operation& operation)
{
    copyIfApart(operation.target, operation.source, operation.bytes());
    operation.prepare(operation.target, operation.count);
}

} // namespace ringside::nccl
