// SPDX-License-Identifier: Apache-2.0
#include "probe/rdma_message.h"

#include "probe/retransmissions.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <random>
#include <thread>

namespace ringside::probe {
namespace {

constexpr std::uint32_t kBlock = 64U << 10U;
constexpr std::uint32_t kDepth = 16; ///< blocks in flight
constexpr std::uint32_t kPingBytes = 8;
constexpr std::uint32_t kSequenceMask = 0xffffff; ///< packets are numbered with 24 bits

/// The library stays loaded.
const verbs::Library& library()
{
    const verbs::Library* const found = writingLibrary();
    if (found == nullptr) {
        throw Error(ErrorCode::Io,
                    "libibverbs.so.1 cannot be loaded, or lacks functions of its version IBVERBS_1.1",
                    "Install rdma-core (Debian: libibverbs1) on every host.");
    }
    return *found;
}

/// Throws with errno's text if `worked` is false.
void require(bool worked, const char* what)
{
    if (!worked) {
        throw Error(ErrorCode::Io, fmt::format("{}: {}", what, std::strerror(errno)));
    }
}

template <class Thing>
Thing* whole(Thing* thing, const char* what)
{
    require(thing != nullptr, what);
    return thing;
}

verbs::Context* openDevice(const verbs::Library& library, const std::string& name)
{
    verbs::Device* const devices = whole(library.deviceList(nullptr), "ibv_get_device_list");
    verbs::Context* context = nullptr;
    for (const verbs::Device* each = devices; *each != nullptr && context == nullptr; ++each) {
        context = name == library.deviceName(*each) ? library.openDevice(*each) : nullptr;
    }
    library.freeDeviceList(devices);
    return whole(context, "ibv_open_device");
}

verbs::QueuePairNeeds needsOf(verbs::CompletionQueue* queue)
{
    verbs::QueuePairNeeds needs{};
    needs.sendQueue = queue;
    needs.receiveQueue = queue;
    needs.capacity = {kDepth, 1, 1, 1, 0};
    needs.type = verbs::kReliable;
    needs.signalAll = 1;
    return needs;
}

double microseconds(std::chrono::steady_clock::duration time)
{
    return std::chrono::duration<double, std::micro>(time).count();
}

std::string statusText(int status)
{
    return status == verbs::kRetriesExceeded
               ? std::string("the other adapter did not answer")
               : fmt::format("the other adapter refused, or was lost (status {} of ibv_wc_status)", status);
}

} // namespace

const verbs::Library* writingLibrary()
{
    static verbs::Library library;
    static const bool there = library.load() && library.canWrite();
    return there ? &library : nullptr;
}

RdmaConnection::RdmaConnection(const RdmaPort& port)
    : m_verbs(library())
    , m_port(port)
    , m_buffer(std::size_t{kBlock} * kDepth)
    , m_context(openDevice(m_verbs, port.device), m_verbs.closeDevice)
    , m_domain(whole(m_verbs.allocateDomain(m_context.get()), "ibv_alloc_pd"), m_verbs.freeDomain)
    , m_memory(whole(m_verbs.registerMemory(m_domain.get(), m_buffer.data(), m_buffer.size(),
                                            verbs::kLocalWrite | verbs::kRemoteWrite),
                     "ibv_reg_mr of 1 MiB (see `ulimit -l`)"),
               m_verbs.freeMemory)
    , m_queue(whole(m_verbs.createQueue(m_context.get(), kDepth, nullptr, nullptr, 0), "ibv_create_cq"),
              m_verbs.freeQueue)
    , m_pair(nullptr, m_verbs.freePair)
    , m_sequence(std::random_device()() & kSequenceMask)
{
    verbs::QueuePairNeeds needs = needsOf(m_queue.get());
    m_pair.reset(whole(m_verbs.createPair(m_domain.get(), &needs), "ibv_create_qp"));
    const auto number = static_cast<std::uint8_t>(port.number);
    errno = m_verbs.queryPort(m_context.get(), number, m_attributes); // the result is an errno
    require(errno == 0, "ibv_query_port");
    require(m_verbs.queryGid(m_context.get(), number, port.gidIndex, &m_gid) == 0, "ibv_query_gid");
}

RdmaAddress RdmaConnection::address() const
{
    return {m_pair->number,         m_sequence, m_attributes.lid,
            m_attributes.activeMtu, m_gid,      reinterpret_cast<std::uint64_t>(m_buffer.data()),
            m_memory->remoteKey};
}

bool RdmaConnection::join(const RdmaAddress& peer)
{
    m_peer = peer;
    verbs::QueuePairAttributes begin{};
    begin.state = verbs::kInit;
    begin.port = static_cast<std::uint8_t>(m_port.number);
    begin.access = verbs::kRemoteWrite;
    return m_verbs.modifyPair(m_pair.get(), &begin,
                              verbs::kState | verbs::kPkeyIndex | verbs::kPort | verbs::kAccess) == 0 &&
           readyToReceive(peer) && readyToSend();
}

bool RdmaConnection::readyToReceive(const RdmaAddress& peer)
{
    constexpr std::uint8_t kHops = 64;
    constexpr std::uint8_t kNotReady640us = 12;
    verbs::QueuePairAttributes ready{};
    ready.state = verbs::kReadyToReceive;
    ready.mtu =
        std::clamp(std::min(peer.mtu, m_attributes.activeMtu), verbs::kSmallestMtu, verbs::kLargestMtu);
    ready.peer = peer.pair;
    ready.receiveSequence = peer.sequence & kSequenceMask;
    ready.readsIn = 1;
    ready.notReadyTimer = kNotReady640us;
    ready.address.lid = peer.lid;
    ready.address.port = static_cast<std::uint8_t>(m_port.number);
    ready.address.level = static_cast<std::uint8_t>(m_port.serviceLevel);
    if (m_port.ethernet) {
        ready.address.isGlobal = 1;
        ready.address.gid = peer.gid;
        ready.address.gidIndex = static_cast<std::uint8_t>(m_port.gidIndex);
        ready.address.hops = kHops;
        ready.address.trafficClass = static_cast<std::uint8_t>(m_port.trafficClass);
    }
    return m_verbs.modifyPair(m_pair.get(), &ready,
                              verbs::kState | verbs::kAddress | verbs::kMtu | verbs::kPeer |
                                  verbs::kReceiveSequence | verbs::kReadsIn | verbs::kNotReadyTimer) == 0;
}

bool RdmaConnection::readyToSend()
{
    constexpr std::uint8_t kTimeout = 16; // 2^16 x 4.096 us = 0.27 s, eight times
    constexpr std::uint8_t kRetries = 7;
    verbs::QueuePairAttributes ready{};
    ready.state = verbs::kReadyToSend;
    ready.timeout = kTimeout;
    ready.retries = kRetries;
    ready.notReadyRetries = kRetries;
    ready.sendSequence = m_sequence;
    ready.readsOut = 1;
    return m_verbs.modifyPair(m_pair.get(), &ready,
                              verbs::kState | verbs::kTimeout | verbs::kRetries | verbs::kNotReadyRetries |
                                  verbs::kSendSequence | verbs::kReadsOut) == 0;
}

RdmaResult RdmaConnection::measure(const Bounds& bounds)
{
    const Retransmissions retransmissions(m_port);
    RdmaMeasurement result;
    const std::vector<double> times = ping(bounds);
    if (times.empty() || !burst(bounds, result)) {
        return {std::nullopt, m_trouble};
    }
    result.writeUs = times[times.size() / 2];
    result.writeP99Us = times[times.size() * 99 / 100];
    result.lost = retransmissions.count();
    return {result, {}};
}

bool RdmaConnection::post(std::size_t place, std::uint32_t bytes)
{
    const std::size_t offset = place % kDepth * kBlock;
    verbs::Piece piece{reinterpret_cast<std::uint64_t>(m_buffer.data() + offset), bytes, m_memory->localKey};
    verbs::SendRequest request{};
    request.pieces = &piece;
    request.pieceCount = 1;
    request.operation = verbs::kWrite;
    request.flags = verbs::kSignaled;
    request.remoteAddress = m_peer.memory + offset;
    request.remoteKey = m_peer.key;
    verbs::SendRequest* bad = nullptr;
    if (m_context->send(m_pair.get(), &request, &bad) != 0) {
        m_trouble = "the device's send queue is full";
        return false;
    }
    return true;
}

// Polls the queue without a pause, because the wait is part of the latency. After a while, other threads may
// run in between.
bool RdmaConnection::awaitOne(Clock::time_point last)
{
    constexpr auto kEager = std::chrono::microseconds(50);
    const auto begin = Clock::now();
    verbs::Completion done{};
    int got = 0;
    while ((got = m_context->poll(m_queue.get(), 1, &done)) == 0) {
        const auto now = Clock::now();
        if (now > last) {
            m_trouble = "the other adapter did not answer in time";
            return false;
        }
        if (now - begin > kEager) {
            std::this_thread::yield();
        }
    }
    if (got < 0 || done.status != verbs::kSuccess) {
        m_trouble = got < 0 ? "the device's completions cannot be read" : statusText(done.status);
        return false;
    }
    return true;
}

/// Returns sorted times in us, as many as fit into the time; empty if one failed.
std::vector<double> RdmaConnection::ping(const Bounds& bounds)
{
    std::vector<double> times;
    const auto end = Clock::now() + std::chrono::milliseconds(bounds.milliseconds);
    for (int i = 0; i < bounds.pings && (times.empty() || Clock::now() < end); ++i) {
        const auto begin = Clock::now();
        if (!post(0, kPingBytes) || !awaitOne(begin + kProbePatience)) {
            return {};
        }
        times.push_back(microseconds(Clock::now() - begin));
    }
    std::ranges::sort(times);
    return times;
}

bool RdmaConnection::burst(const Bounds& bounds, RdmaMeasurement& result)
{
    const auto begin = Clock::now();
    const auto last = begin + std::chrono::milliseconds(bounds.milliseconds);
    std::uint64_t posted = 0;
    std::uint64_t done = 0;
    for (;;) {
        const bool more = posted == 0 || (posted * kBlock < bounds.bytes && Clock::now() < last);
        if (more && posted - done < kDepth) {
            if (!post(posted++, kBlock)) {
                return false;
            }
        } else if (done == posted) {
            break;
        } else if (!awaitOne(last + kProbePatience)) {
            return false;
        } else {
            ++done;
        }
    }
    result.bytes = done * kBlock;
    result.gbps = static_cast<double>(result.bytes) * 8.0 / microseconds(Clock::now() - begin) / 1e3;
    return true;
}

} // namespace ringside::probe
