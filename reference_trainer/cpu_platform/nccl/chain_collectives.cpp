// SPDX-License-Identifier: Apache-2.0
// Collectives with a root: data moves along the ring from the root, or towards it, chunk by chunk, so that
// every link carries the data once and all links work in parallel.
#include "collectives.h"
#include "ring.h"

#include <algorithm>
#include <cstring>
#include <memory>

namespace ringside::nccl {
namespace {

/// Returns the distance of `rank` from `first` on the ring.
int position(const Mesh& mesh, int first)
{
    return (mesh.rank() - first + mesh.size()) % mesh.size();
}

} // namespace

void broadcast(Mesh& mesh, const Operation& operation)
{
    const bool first = mesh.rank() == operation.peer;
    const bool last = position(mesh, operation.peer) == mesh.size() - 1;
    const std::vector<Segment> pieces = chunks({.offset = 0, .size = operation.bytes()});
    if (pieces.empty())
        return;
    if (first && operation.target != operation.source)
        std::memcpy(operation.target, operation.source, operation.bytes());
    MeshBuffer buffer(mesh, operation.target, operation.bytes());
    if (!first)
        for (const Segment& piece : pieces)
            buffer.receive(mesh.neighbour(-1), operation.slot, piece.offset, piece.size);
    for (const Segment& piece : pieces) {
        if (!first)
            buffer.waitReceived();
        if (!last)
            buffer.send(mesh.neighbour(1), operation.slot, piece.offset, piece.size);
    }
    for (std::size_t i = 0; !last && i < pieces.size(); ++i)
        buffer.waitSent();
}

void reduce(Mesh& mesh, const Operation& operation)
{
    const bool first = position(mesh, (operation.peer + 1) % mesh.size()) == 0;
    const bool last = mesh.rank() == operation.peer;
    const std::vector<Segment> pieces = chunks({.offset = 0, .size = operation.bytes()});
    if (pieces.empty())
        return;
    // Only the root's target may be written; other ranks combine in their own memory.
    const auto own = std::make_unique_for_overwrite<char[]>(last ? 1 : operation.bytes());
    char* const memory = last ? static_cast<char*>(operation.target) : own.get();
    if (memory != operation.source)
        std::memcpy(memory, operation.source, operation.bytes());
    operation.prepare(memory, operation.count);
    const auto scratchMemory = std::make_unique_for_overwrite<char[]>(2 * kChunkBytes);
    MeshBuffer scratch(mesh, scratchMemory.get(), 2 * kChunkBytes);
    MeshBuffer buffer(mesh, memory, operation.bytes());
    const auto post = [&](std::size_t i) {
        scratch.receive(mesh.neighbour(-1), operation.slot, i % 2 * kChunkBytes, pieces[i].size);
    };
    for (std::size_t i = 0; !first && i < std::min<std::size_t>(2, pieces.size()); ++i)
        post(i);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (!first) {
            scratch.waitReceived();
            operation.reduction.combine(memory + pieces[i].offset, scratchMemory.get() + i % 2 * kChunkBytes,
                                        pieces[i].size / operation.element);
            if (i + 2 < pieces.size())
                post(i + 2);
        }
        if (!last)
            buffer.send(mesh.neighbour(1), operation.slot, pieces[i].offset, pieces[i].size);
    }
    for (std::size_t i = 0; !last && i < pieces.size(); ++i)
        buffer.waitSent();
    if (last)
        operation.finish(memory, operation.count, mesh.size());
}

} // namespace ringside::nccl
