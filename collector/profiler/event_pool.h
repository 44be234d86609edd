// SPDX-License-Identifier: Apache-2.0
// Handles of events, and slots for events that must be remembered until they end. NCCL keeps handles for any
// time, calls from its own threads, and may pass a handle of another process. A handle is therefore a number
// that is checked against its slot, never an address. Slots are taken in turn, without a lock. A released
// slot keeps the data of its event until it is reused (16,384 events later), because NCCL refers to parents
// that have ended.
#pragma once
#include "abi/nccl_profiler.h"

#include <array>
#include <atomic>
#include <cstdint>

namespace ringside::collector::profiler {

struct Context;

/// The kind of object that a handle's id numbers.
enum class Kind : std::uint8_t { None = 0, Group = 1, Call = 2, Operation = 3, Launch = 4, Other = 5 };

/// The parts of NCCL's void*: 4 bits kind, 16 bits slot, 44 bits id.
class Handle final {
public:
    static constexpr std::uint64_t kNoPlace = 0xFFFF;
    constexpr Handle() = default;
    constexpr Handle(Kind kind, std::uint64_t place, std::uint64_t id)
        : m_bits(static_cast<std::uint64_t>(kind) << 60U | place << 44U | (id & kIdMask))
    {}
    explicit Handle(const void* pointer) : m_bits(reinterpret_cast<std::uintptr_t>(pointer)) {}
    static constexpr Handle ofBits(std::uint64_t bits)
    {
        Handle handle;
        handle.m_bits = bits;
        return handle;
    }

    [[nodiscard]] constexpr Kind kind() const { return static_cast<Kind>(m_bits >> 60U); }
    [[nodiscard]] constexpr std::uint64_t place() const { return m_bits >> 44U & 0xFFFFU; }
    [[nodiscard]] constexpr std::uint64_t id() const { return m_bits & kIdMask; }
    [[nodiscard]] constexpr std::uint64_t bits() const { return m_bits; }
    [[nodiscard]] void* pointer() const
    {
        return reinterpret_cast<void*>(m_bits); // NOLINT(performance-no-int-to-ptr): NCCL only stores it
    }
    /// Returns the id if the handle has this kind, otherwise 0.
    [[nodiscard]] constexpr std::uint64_t idOf(Kind kind) const { return this->kind() == kind ? id() : 0; }

private:
    static constexpr std::uint64_t kIdMask = (std::uint64_t{1} << 44U) - 1;
    std::uint64_t m_bits = 0;
};

struct Operation {
    std::uint64_t callId;
    std::uint64_t startTicks, launchStartTicks, launchEndTicks;
    std::uint64_t sequence, bytes;
    std::uint32_t function, algorithm, protocol;
    std::int32_t peer;
    std::uint8_t channels;
    std::uint8_t symmetric; ///< trace::kUnknownFlag
    std::uint8_t intraBatchSync;
    std::uint32_t kernelVariant;
    std::uint32_t batches, copies, syncs;
    std::uint64_t userTag, copiedBytes;
};
struct Channel {
    std::uint64_t operation;
    std::uint64_t deviceStartNs, deviceEndNs;
    std::uint64_t startSeenTicks, endSeenTicks, notBeforeTicks;
    std::int64_t enqueuedNs; ///< of a kernel for NcclKernels; 0: it becomes a record
    std::uint8_t channel;
};
struct Phase {
    Channel of;
    std::uint8_t phase;
};
struct ProxyOperation {
    std::uint64_t operation;
    std::int32_t peer;
    std::uint8_t channel;
    bool isSend;
};
struct ProxyMessage {
    ProxyOperation of;
    std::uint64_t startTicks, gpuWaitTicks, peerWaitTicks, networkWaitTicks, flushWaitTicks, bytes;
    std::int32_t step;
};

/// One remembered event. It belongs to the thread on which NCCL ends it; other threads may read the atomics.
struct Place {
    std::atomic<std::uint64_t> key{0}; ///< bits of its handle, also after the end
    std::atomic<bool> taken{false};
    std::atomic<void*> theirs{nullptr}; ///< handle of the chained plugin
    std::atomic<std::uint64_t> notBeforeTicks{
        0}; ///< for an operation, its earliest possible start; 0 if not known
    std::atomic<std::uint64_t> launchesFor{
        0}; ///< for a group, the call or group to which its launches belong
    /// For an operation whose kernel is to be timed, when it was enqueued (CLOCK_MONOTONIC); 0: it is not, or
    /// one of its channels has been chosen already.
    std::atomic<std::int64_t> toBeTimedNs{0};
    std::atomic<Context*> context{nullptr};
    EventType type{}; ///< type of the event for the collector; 0 if the slot only serves the chained plugin
    union {
        Operation operation;
        Channel channel;
        Phase phase;
        ProxyOperation proxyOperation;
        ProxyMessage message;
    };
    // NOLINTNEXTLINE(*-member-init): one of the union's members is
    constexpr Place() : operation{} {}
    [[nodiscard]] Handle handle() const { return Handle::ofBits(key.load(std::memory_order_relaxed)); }
};

class EventPool final {
public:
    static constexpr std::size_t kPlaces = 1U << 14U;

    /// Returns null, which is counted, if no slot nearby is free.
    Place* take(Kind kind, std::uint64_t id);
    /// Returns the slot of an event that has not ended.
    [[nodiscard]] Place* find(Handle handle);
    /// Returns the chained plugin's handle of an event, also of an ended one; null if it is forgotten.
    [[nodiscard]] void* theirsOf(Handle handle) const;
    [[nodiscard]] std::uint64_t notBeforeOf(Handle handle) const;
    /// Returns the call or group to which launches of a group's event belong, also of an ended one; 0 if not
    /// known.
    [[nodiscard]] std::uint64_t launchesOf(Handle group) const;
    /// Returns and clears Place::toBeTimedNs of an operation, also of an ended one.
    [[nodiscard]] std::int64_t takeToBeTimedNs(Handle operation);
    static void giveBack(Place& place) { place.taken.store(false, std::memory_order_release); }
    /// Releases the slots of a communicator that no longer exists.
    void giveBackAll(const Context& context);
    /// Numbers events that nothing else numbers.
    [[nodiscard]] std::uint64_t nextId() { return 1 + m_ids.fetch_add(1, std::memory_order_relaxed); }
    void countDropped() { m_dropped.fetch_add(1, std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t dropped() const { return m_dropped.load(std::memory_order_relaxed); }

private:
    template <class T>
    [[nodiscard]] T read(Handle handle, const std::atomic<T> Place::*member) const;

    std::array<Place, kPlaces> m_places;
    std::atomic<std::uint64_t> m_next{0};
    std::atomic<std::uint64_t> m_ids{0};
    std::atomic<std::uint64_t> m_dropped{0};
};

} // namespace ringside::collector::profiler
