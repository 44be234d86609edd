// SPDX-License-Identifier: Apache-2.0
// The connections of one communicator: a Gloo TCP context with a pair to every other rank. Collectives send
// and receive through MeshBuffer, so that an abort from another thread ends every wait. A dead peer also
// causes an abort: Gloo does not always end a wait for a send to it, so that a thread watches all
// connections.
#pragma once
#include "hosts.h"
#include "unique_id.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

namespace gloo {
class Context;
namespace transport {
class UnboundBuffer;
}
} // namespace gloo

namespace ringside::nccl {

class MeshBuffer;

class Mesh final {
public:
    /// Connects to every other rank; blocks until all are connected or `timeout` is over.
    Mesh(const UniqueId& id, int rank, int size, std::chrono::milliseconds timeout);
    ~Mesh();
    Mesh(const Mesh&) = delete;
    Mesh& operator=(const Mesh&) = delete;

    [[nodiscard]] int rank() const { return m_rank; }
    [[nodiscard]] int size() const { return m_size; }
    [[nodiscard]] const Hosts& hosts() const { return m_hosts; }
    /// Returns the rank that is `distance` further along the ring.
    [[nodiscard]] int neighbour(int distance) const
    {
        return ((m_rank + distance) % m_size + m_size) % m_size;
    }

    /// Ends all waits with an exception, now and later, and disconnects, so that the peers notice, too. May
    /// be called from any thread.
    void abort() noexcept;
    /// Returns when every rank has called it with the same slot: a dissemination barrier with ceil(log2 n)
    /// rounds of one word. Throws Failure(ncclInvalidUsage) if a rank whose word this one receives has
    /// another `word`; the rank before it in the ring is always checked.
    void barrier(std::uint64_t slot, std::uint64_t word, std::chrono::milliseconds timeout = kForever);

    static constexpr auto kForever = std::chrono::milliseconds(std::chrono::hours(24 * 365));

private:
    friend class MeshBuffer;

    void watch();

    const int m_rank;
    const int m_size;
    Hosts m_hosts;
    std::shared_ptr<gloo::Context> m_context;
    std::mutex m_mutex;
    std::set<gloo::transport::UnboundBuffer*> m_buffers; ///< in use, guarded by m_mutex
    bool m_aborted = false;                              ///< guarded by m_mutex
    std::thread m_watch;
};

/// Memory with sends or receives in flight. Offsets and sizes are in bytes. The memory must outlive the
/// object; after its destruction Gloo does not use the memory any more. Messages from one rank to another
/// with the same slot arrive in the order sent.
class MeshBuffer final {
public:
    MeshBuffer(Mesh& mesh, void* memory, std::size_t size);
    ~MeshBuffer();
    MeshBuffer(const MeshBuffer&) = delete;
    MeshBuffer& operator=(const MeshBuffer&) = delete;

    void send(int rank, std::uint64_t slot, std::size_t offset, std::size_t size);
    void receive(int rank, std::uint64_t slot, std::size_t offset, std::size_t size);
    /// Each waits for one operation posted on this buffer, in the order posted. They throw if the mesh was
    /// aborted or a peer died.
    void waitSent(std::chrono::milliseconds timeout = Mesh::kForever);
    void waitReceived(std::chrono::milliseconds timeout = Mesh::kForever);

private:
    Mesh& m_mesh;
    std::unique_ptr<gloo::transport::UnboundBuffer> m_buffer;
};

} // namespace ringside::nccl
