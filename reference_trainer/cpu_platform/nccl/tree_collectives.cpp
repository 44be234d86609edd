// SPDX-License-Identifier: Apache-2.0
// All-reduce over a binary tree: sums go up, chunk by chunk, and results come down on the same way. The real
// library uses two trees in parallel, each with half of the data, so that all ranks have the same load. One
// tree gives the same result, and the link model computes the time of two.
#include "collectives.h"
#include "ring.h"

#include <cstring>
#include <deque>
#include <memory>

namespace ringside::nccl {
namespace {

struct Child {
    Child(Mesh& mesh, int number, std::size_t bytes)
        : rank(number)
        , memory(std::make_unique_for_overwrite<char[]>(bytes))
        , buffer(mesh, memory.get(), bytes)
    {}
    const int rank;
    const std::unique_ptr<char[]> memory; ///< the partial sum
    MeshBuffer buffer;
};

std::deque<Child> childrenOf(Mesh& mesh, std::size_t bytes)
{
    std::deque<Child> children;
    for (int rank = 2 * mesh.rank() + 1; rank <= 2 * mesh.rank() + 2 && rank < mesh.size(); ++rank)
        children.emplace_back(mesh, rank, bytes);
    return children;
}

} // namespace

int treeParent(int rank)
{
    return (rank - 1) / 2;
}

void treeAllReduce(Mesh& mesh, const Operation& operation)
{
    const std::vector<Segment> pieces = chunks({.offset = 0, .size = operation.bytes()});
    if (pieces.empty())
        return;
    if (operation.target != operation.source)
        std::memcpy(operation.target, operation.source, operation.bytes());
    operation.prepare(operation.target, operation.count);
    auto* const memory = static_cast<char*>(operation.target);
    const bool root = mesh.rank() == 0;
    const int parent = treeParent(mesh.rank());
    std::deque<Child> children = childrenOf(mesh, operation.bytes());
    MeshBuffer buffer(mesh, memory, operation.bytes());
    for (const Segment& piece : pieces) {
        for (Child& child : children)
            child.buffer.receive(child.rank, operation.slot, piece.offset, piece.size);
        if (!root) // returns only after the sum that is stored there has been sent
            buffer.receive(parent, operation.slot, piece.offset, piece.size);
    }
    for (const Segment& piece : pieces) {
        const std::size_t elements = piece.size / operation.element;
        for (Child& child : children) {
            child.buffer.waitReceived();
            operation.reduction.combine(memory + piece.offset, child.memory.get() + piece.offset, elements);
        }
        if (!root)
            buffer.send(parent, operation.slot, piece.offset, piece.size);
        else
            operation.finish(memory + piece.offset, elements, mesh.size());
        for (Child& child : children)
            if (root)
                buffer.send(child.rank, operation.slot, piece.offset, piece.size);
    }
    for (const Segment& piece : pieces) {
        if (root)
            break;
        buffer.waitReceived();
        for (Child& child : children)
            buffer.send(child.rank, operation.slot, piece.offset, piece.size);
    }
    const std::size_t sent = pieces.size() * (children.size() + (root ? 0 : 1));
    for (std::size_t i = 0; i < sent; ++i)
        buffer.waitSent();
}

} // namespace ringside::nccl
