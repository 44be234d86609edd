// SPDX-License-Identifier: Apache-2.0
// Sends and receives of one launch. Every transfer is posted before the first wait, so that a group cannot
// deadlock.
#include "collectives.h"
#include "errors.h"
#include "slots.h"

#include <cstring>
#include <memory>

namespace ringside::nccl {
namespace {

/// First message of an operation: its size on each side, which must be equal.
struct Greeting {
    Greeting(Mesh& mesh, const Operation& operation)
        : peer(operation.peer)
        , own(operation.bytes())
        , out(mesh, &own, sizeof own)
        , in(mesh, &other, sizeof other)
    {
        const bool sends = operation.kind == Kind::Send;
        in.receive(peer, sends ? backwardSlot(operation.slot) : operation.slot, 0, sizeof other);
        out.send(peer, sends ? operation.slot : backwardSlot(operation.slot), 0, sizeof own);
    }
    void wait()
    {
        in.waitReceived();
        out.waitSent();
        if (own != other)
            throw Failure(ncclInvalidUsage, "a send and its receive, here " + std::to_string(own) +
                                                " bytes and " + std::to_string(other) + " on rank " +
                                                std::to_string(peer) + ", differ in size");
    }
    const int peer;
    std::uint64_t own;
    std::uint64_t other = 0;
    MeshBuffer out;
    MeshBuffer in;
};

} // namespace

void copyOwnTransfers(const std::vector<const Operation*>& operations)
{
    std::vector<const Operation*> sends;
    std::vector<const Operation*> receives;
    for (const Operation* operation : operations)
        (operation->kind == Kind::Send ? sends : receives).push_back(operation);
    for (std::size_t i = 0; i < sends.size(); ++i) {
        if (sends[i]->bytes() != receives[i]->bytes())
            throw Failure(ncclInvalidUsage, "a send to the own rank and its receive differ in size");
        if (sends[i]->bytes() > 0)
            std::memmove(receives[i]->target, sends[i]->source, sends[i]->bytes());
    }
}

PointToPoint::PointToPoint(Mesh& mesh, const std::vector<const Operation*>& operations) : m_mesh(mesh)
{
    for (const Operation* operation : operations)
        (operation->peer == mesh.rank() ? m_local : m_operations).push_back(operation);
}

void PointToPoint::meet()
{
    std::vector<std::unique_ptr<Greeting>> greetings;
    greetings.reserve(m_operations.size());
    for (const Operation* operation : m_operations)
        greetings.push_back(std::make_unique<Greeting>(m_mesh, *operation));
    for (const auto& greeting : greetings)
        greeting->wait();
}

void PointToPoint::transfer()
{
    copyOwnTransfers(m_local);
    std::vector<std::unique_ptr<MeshBuffer>> buffers(m_operations.size());
    for (std::size_t i = 0; i < m_operations.size(); ++i) {
        const Operation& operation = *m_operations[i];
        if (operation.bytes() == 0)
            continue;
        const bool sends = operation.kind == Kind::Send;
        void* const memory = sends ? const_cast<void*>(operation.source) : operation.target;
        buffers[i] = std::make_unique<MeshBuffer>(m_mesh, memory, operation.bytes());
        if (sends)
            buffers[i]->send(operation.peer, operation.slot, 0, operation.bytes());
        else
            buffers[i]->receive(operation.peer, operation.slot, 0, operation.bytes());
    }
    for (std::size_t i = 0; i < m_operations.size(); ++i) {
        if (buffers[i] != nullptr && m_operations[i]->kind == Kind::Send)
            buffers[i]->waitSent();
        else if (buffers[i] != nullptr)
            buffers[i]->waitReceived();
    }
}

} // namespace ringside::nccl
