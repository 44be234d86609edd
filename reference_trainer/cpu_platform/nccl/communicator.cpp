// SPDX-License-Identifier: Apache-2.0
#include "communicator.h"

#include "debug_log.h"
#include "device_restored.h"
#include "errors.h"
#include "rendezvous_client.h"
#include "signal_guard.h"
#include "slots.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace ringside::nccl {
namespace {

/// Returns RINGSIDE_NCCL_TIMEOUT_S, default 60 s.
std::chrono::milliseconds rendezvousTimeout()
{
    const char* const value = std::getenv("RINGSIDE_NCCL_TIMEOUT_S");
    if (value == nullptr)
        return std::chrono::seconds(60);
    const std::string_view text = value;
    double seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (error != std::errc() || end != text.data() + text.size() || !(seconds >= 0.1 && seconds <= 86400))
        throw Failure(ncclInvalidUsage,
                      "RINGSIDE_NCCL_TIMEOUT_S must be seconds between 0.1 and 86400, not " +
                          std::string(text));
    return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

/// Returns null for a single rank.
std::unique_ptr<Mesh> meet(const UniqueId& id, const Place& place, std::chrono::milliseconds timeout,
                           ProcessRanks& processRanks)
{
    processRanks.join(place.rank, place.device);
    try {
        if (place.size > 1)
            return std::make_unique<Mesh>(id, place.rank, place.size, timeout);
        // closes the connection, so that the server ends
        const RendezvousClient visit(id, place.rank, place.size, timeout);
        return nullptr;
    } catch (...) {
        processRanks.forget(place.rank);
        throw;
    }
}

/// Makes the communicator's device current during the call, as the real library does.
std::shared_ptr<profiler::CommunicatorProfile> openProfile(const Place& place, std::uint64_t hash, int nodes)
{
    const DeviceRestored restored;
    cudaSetDevice(place.device);
    return profiler::CommunicatorProfile::open({.hash = hash,
                                                .name = place.name.empty() ? nullptr : place.name.c_str(),
                                                .nodes = nodes,
                                                .ranks = place.size,
                                                .rank = place.rank});
}

} // namespace

Communicator::Communicator(const UniqueId& id, Place place)
    : m_place(std::move(place))
    , m_hash(hashOf(id))
    , m_timeout(rendezvousTimeout())
    , m_algorithms(Algorithms::fromEnvironment())
    , m_processRanks(ProcessRanks::of(id))
    , m_mesh(meet(id, m_place, m_timeout, *m_processRanks))
    , m_profile(openProfile(m_place, m_hash, hosts().nodes))
    , m_sends(static_cast<std::size_t>(m_place.size))
    , m_receives(static_cast<std::size_t>(m_place.size))
{}

Communicator::~Communicator()
{
    m_processRanks->forget(m_place.rank);
}

void Communicator::closeProfile()
{
    if (m_profile != nullptr)
        m_profile->close();
}

int Communicator::worldRank(int rank) const
{
    return m_place.worldRanks.empty() ? rank : m_place.worldRanks[static_cast<std::size_t>(rank)];
}

ncclResult_t Communicator::asyncError() const
{
    const std::lock_guard lock(m_mutex);
    return m_error;
}

void Communicator::throwIfFailed() const
{
    const std::lock_guard lock(m_mutex);
    if (m_error != ncclSuccess)
        throw Failure::again(m_error, m_errorMessage);
}

std::uint64_t Communicator::nextSlot(const Operation& operation)
{
    const auto peer = static_cast<std::size_t>(operation.peer);
    if (operation.kind == Kind::Send)
        return forwardSlot(++m_sends[peer]);
    if (operation.kind == Kind::Recv)
        return forwardSlot(++m_receives[peer]);
    return collectiveSlot(++m_collectives);
}

std::uint64_t Communicator::takeSlot()
{
    const std::lock_guard lock(m_mutex);
    return collectiveSlot(++m_collectives);
}

void Communicator::beginLaunch(std::vector<Operation>& operations)
{
    const std::lock_guard lock(m_mutex);
    for (Operation& operation : operations)
        operation.slot = nextSlot(operation);
    ++m_launched;
    ++m_launches;
}

bool Communicator::startWork()
{
    const std::lock_guard lock(m_mutex);
    ++m_running;
    return m_error == ncclSuccess;
}

void Communicator::endLaunch()
{
    const std::lock_guard lock(m_mutex);
    --m_running;
    --m_launched;
    m_changed.notify_all();
}

void Communicator::sleepUntil(std::chrono::steady_clock::time_point time)
{
    std::unique_lock lock(m_mutex);
    m_changed.wait_until(lock, time, [this] { return m_error != ncclSuccess; });
}

void Communicator::cancelLaunch()
{
    const std::lock_guard lock(m_mutex);
    --m_launched;
    m_changed.notify_all();
}

void Communicator::fail(ncclResult_t code, const std::string& message)
{
    if (recordError(code, message))
        debugLog(LogLevel::Warn, kLogAll, "communicator.cpp", __LINE__, "%s", message.c_str());
}

bool Communicator::recordError(ncclResult_t code, const std::string& message)
{
    {
        const std::lock_guard lock(m_mutex);
        if (m_error != ncclSuccess)
            return false;
        m_error = code;
        m_errorMessage = message;
        m_changed.notify_all();
    }
    setLastError(message);
    if (m_mesh)
        m_mesh->abort();
    return true;
}

void Communicator::beginFinalization()
{
    const std::lock_guard lock(m_mutex);
    require(!std::exchange(m_finalized, true), "the communicator is finalized already");
}

void Communicator::waitForWork()
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_launched == 0; });
}

void Communicator::leave()
{
    waitForWork();
    m_processRanks->leave(shared_from_this());
}

void Communicator::sayGoodbye()
{
    if (!m_mesh || asyncError() != ncclSuccess)
        return;
    // Gloo resets connections when it closes them, which would discard data that peers have not read yet.
    const PipeSignalBlocked guard;
    try {
        m_mesh->barrier(kGoodbyeSlot, 0,
                        std::min<std::chrono::milliseconds>(m_timeout, std::chrono::seconds(10)));
    } catch (const std::exception&) {
        // A peer that has left or died does not need this rank any more.
    }
}

void Communicator::abort()
{
    recordError(ncclRemoteError, "the communicator was aborted on rank " + std::to_string(m_place.rank));
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_running == 0; });
    lock.unlock();
    m_processRanks->forget(m_place.rank);
}

} // namespace ringside::nccl
