// SPDX-License-Identifier: Apache-2.0
#include "mesh.h"

#include "errors.h"
#include "network_interface.h"
#include "rendezvous_client.h"
#include "signal_guard.h"
#include "slots.h"

#include <gloo/rendezvous/context.h>
#include <gloo/transport/pair.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/unbound_buffer.h>

#include <array>
#include <deque>

namespace ringside::nccl {
namespace {

[[noreturn]] void failAborted()
{
    throw Failure(ncclRemoteError, "the communicator was aborted, or a peer of it failed");
}

/// Starts Gloo's event loop, whose thread must not run the application's signal handlers.
std::shared_ptr<gloo::transport::Device> startDevice(const Address& local)
{
    const AllSignalsBlocked guard;
    return gloo::transport::tcp::CreateDevice(gloo::transport::tcp::attr(local.host().c_str()));
}

std::shared_ptr<gloo::Context> connect(const UniqueId& id, int rank, int size,
                                       std::chrono::milliseconds timeout, Hosts& hosts)
{
    RendezvousClient store(id, rank, size, timeout);
    announceHost(store, rank);
    // The address that reaches the server also reaches peers on its host, and on similar hosts.
    const Address local = interfaceIsForced() ? chooseInterface() : store.localAddress();
    std::shared_ptr<gloo::transport::Device> device = startDevice(local);
    const PipeSignalBlocked guard;
    auto context = std::make_shared<gloo::rendezvous::Context>(rank, size);
    context->setTimeout(timeout / 5); // Gloo waits five times this for a connection
    context->connectFullMesh(store, device);
    hosts = findHosts(store, rank, size);
    return context;
}

} // namespace

Mesh::Mesh(const UniqueId& id, int rank, int size, std::chrono::milliseconds timeout)
    : m_rank(rank), m_size(size), m_context(connect(id, rank, size, timeout, m_hosts))
{
    {
        // No rank may disconnect before all are connected: Gloo ends the process of a rank that is still
        // connecting.
        const PipeSignalBlocked guard;
        barrier(kHelloSlot, 0, timeout);
    }
    const AllSignalsBlocked guard;
    m_watch = std::thread([this] { watch(); });
}

Mesh::~Mesh()
{
    abort();
    m_watch.join();
}

void Mesh::watch()
{
    try {
        char never = 0;
        MeshBuffer alarm(*this, &never, 1);
        for (int distance = 1; distance < m_size; ++distance)
            alarm.receive(neighbour(distance), kAlarmSlot, 0, 1);
        alarm.waitReceived();
    } catch (const std::exception&) {
        abort(); // one connection ended, or all did
    }
}

void Mesh::abort() noexcept
{
    try {
        {
            const std::lock_guard lock(m_mutex);
            if (m_aborted)
                return;
            m_aborted = true;
            for (gloo::transport::UnboundBuffer* buffer : m_buffers) {
                buffer->abortWaitSend();
                buffer->abortWaitRecv();
            }
        }
        m_context->closeConnections();
    } catch (const std::exception& error) {
        warn(std::string("hanging up: ") + error.what());
    }
}

void Mesh::barrier(std::uint64_t slot, std::uint64_t word, std::chrono::milliseconds timeout)
{
    struct Round {
        Round(Mesh& mesh, int from) : rank(from), buffer(mesh, &said, sizeof said) {}
        const int rank;
        std::uint64_t said = 0;
        MeshBuffer buffer;
    };
    MeshBuffer out(*this, &word, sizeof word);
    std::deque<Round> in; // a word of a later round may arrive first
    for (int distance = 1; distance < m_size; distance *= 2)
        in.emplace_back(*this, neighbour(-distance))
            .buffer.receive(neighbour(-distance), slot, 0, sizeof word);
    int distance = 1;
    for (Round& round : in) {
        out.send(neighbour(distance), slot, 0, sizeof word);
        round.buffer.waitReceived(timeout);
        distance *= 2;
    }
    for (std::size_t i = 0; i < in.size(); ++i)
        out.waitSent(timeout);
    for (const Round& round : in)
        if (round.said != word)
            throw Failure(ncclInvalidUsage, "ranks " + std::to_string(m_rank) + " and " +
                                                std::to_string(round.rank) +
                                                " call different collectives, or with different counts");
}

MeshBuffer::MeshBuffer(Mesh& mesh, void* memory, std::size_t size)
    : m_mesh(mesh), m_buffer(mesh.m_context->createUnboundBuffer(memory, size))
{
    const std::lock_guard lock(m_mesh.m_mutex);
    if (m_mesh.m_aborted)
        failAborted();
    m_mesh.m_buffers.insert(m_buffer.get());
}

MeshBuffer::~MeshBuffer()
{
    const std::lock_guard lock(m_mesh.m_mutex);
    m_mesh.m_buffers.erase(m_buffer.get());
}

void MeshBuffer::send(int rank, std::uint64_t slot, std::size_t offset, std::size_t size)
{
    m_buffer->send(rank, slot, offset, size);
}

void MeshBuffer::receive(int rank, std::uint64_t slot, std::size_t offset, std::size_t size)
{
    m_buffer->recv(rank, slot, offset, size);
}

void MeshBuffer::waitSent(std::chrono::milliseconds timeout)
{
    if (!m_buffer->waitSend(timeout))
        failAborted();
}

void MeshBuffer::waitReceived(std::chrono::milliseconds timeout)
{
    if (!m_buffer->waitRecv(timeout))
        failAborted();
}

} // namespace ringside::nccl
