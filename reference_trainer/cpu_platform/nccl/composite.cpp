// SPDX-License-Identifier: Apache-2.0
#include "composite.h"

#include "communicator.h"

#include <utility>

namespace ringside::nccl {
namespace {

const void* block(const void* memory, const Operation& operation, int index)
{
    return static_cast<const char*>(memory) + operation.bytes() * static_cast<std::size_t>(index);
}

Operation sendOf(const Operation& whole, int peer, const void* source)
{
    Operation part = whole;
    part.kind = Kind::Send;
    part.peer = peer;
    part.source = source;
    part.target = nullptr;
    return part;
}

Operation receiveOf(const Operation& whole, int peer, const void* target)
{
    Operation part = whole;
    part.kind = Kind::Recv;
    part.peer = peer;
    part.source = nullptr;
    part.target = const_cast<void*>(target);
    return part;
}

void appendAlltoAll(std::vector<Operation>& operations, const Operation& whole)
{
    for (int peer = 0; peer < whole.communicator->size(); ++peer) {
        operations.push_back(sendOf(whole, peer, block(whole.source, whole, peer)));
        operations.push_back(receiveOf(whole, peer, block(whole.target, whole, peer)));
    }
}

void appendGather(std::vector<Operation>& operations, const Operation& whole)
{
    const int root = whole.peer;
    operations.push_back(sendOf(whole, root, whole.source));
    if (root == whole.communicator->rank())
        for (int peer = 0; peer < whole.communicator->size(); ++peer)
            operations.push_back(receiveOf(whole, peer, block(whole.target, whole, peer)));
}

void appendScatter(std::vector<Operation>& operations, const Operation& whole)
{
    const int root = whole.peer;
    if (root == whole.communicator->rank())
        for (int peer = 0; peer < whole.communicator->size(); ++peer)
            operations.push_back(sendOf(whole, peer, block(whole.source, whole, peer)));
    operations.push_back(receiveOf(whole, root, whole.target));
}

} // namespace

void appendParts(std::vector<Operation>& operations, Operation operation)
{
    switch (operation.kind) {
    case Kind::AlltoAll:
        return appendAlltoAll(operations, operation);
    case Kind::Gather:
        return appendGather(operations, operation);
    case Kind::Scatter:
        return appendScatter(operations, operation);
    default:
        return operations.push_back(std::move(operation));
    }
}

} // namespace ringside::nccl
