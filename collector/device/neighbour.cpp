// SPDX-License-Identifier: Apache-2.0
#include "device/neighbour.h"

#include "device/cupti_buffers.h"
#include "record/clock.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace ringside::collector::neighbour {
namespace {

/// A profiler fetches its last records, and prepares its next window, with calls close to each other.
constexpr std::int64_t kQuietNs = 2'000'000'000;

// Of a thread of the program, at any moment: atomics alone, which a fork leaves whole.
struct State {
    std::atomic<int> subscribers{0};
    std::atomic<std::uint64_t> kinds{0}; ///< a bit each that it switched on
    std::atomic<int> inCalls{0};
    std::atomic<std::int64_t> lastCallNs{0}; ///< 0: none yet
    std::atomic<cupti::BufferRequested> requested{nullptr};
    std::atomic<cupti::BufferCompleted> completed{nullptr};
    std::atomic<bool> hasOwnRecords{false}; ///< of the _v2 functions
    std::atomic<bool> recordsAreOurs{false};
    std::atomic<cupti::NextRecord> nextRecord{nullptr};
};
constinit State g_state;

std::uint64_t bitOf(cupti::Kind kind)
{
    constexpr cupti::Kind kMostKinds = 64;
    return std::uint64_t{1} << std::min(kind, kMostKinds - 1);
}

void bufferRequested(std::uint8_t** buffer, std::size_t* bytes, std::size_t* maxRecords)
{
    const auto theirs = g_state.requested.load();
    if (!g_state.recordsAreOurs.load() && theirs != nullptr) {
        theirs(buffer, bytes, maxRecords);
        return;
    }
    *buffer = cuptiBuffers().request();
    *bytes = BufferPool::sizeOf(*buffer);
    *maxRecords = 0;
}

/// How much of the records fits into so much room, up to the end of a record.
std::size_t fittingBytes(std::uint8_t* records, std::size_t validBytes, std::size_t room)
{
    if (validBytes <= room) {
        return validBytes;
    }
    const cupti::NextRecord next = g_state.nextRecord.load();
    std::size_t fitting = 0;
    for (cupti::Activity* record = nullptr; next(records, validBytes, &record) == cupti::kSuccess;) {
        const auto begin = static_cast<std::size_t>(reinterpret_cast<std::uint8_t*>(record) - records);
        if (begin > room) {
            break;
        }
        fitting = begin;
    }
    return fitting;
}

/// Their records in a buffer of ours, into buffers of theirs.
void giveRecords(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t validBytes)
{
    const auto request = g_state.requested.load();
    const auto complete = g_state.completed.load();
    for (std::size_t given = 0; given < validBytes;) {
        std::uint8_t* theirs = nullptr;
        std::size_t bytes = 0;
        std::size_t maxRecords = 0;
        request(&theirs, &bytes, &maxRecords);
        const std::size_t fitting =
            theirs != nullptr ? fittingBytes(buffer + given, validBytes - given, bytes) : 0;
        if (fitting == 0) {
            break; // the client has no room, as CUPTI itself would find
        }
        std::memcpy(theirs, buffer + given, fitting);
        complete(context, stream, theirs, bytes, fitting);
        given += fitting;
    }
    cuptiBuffers().finish(buffer, 0);
}

void bufferCompleted(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t bytes,
                     std::size_t validBytes)
{
    const bool recordsAreOurs = g_state.recordsAreOurs.load();
    const auto complete = g_state.completed.load();
    if (cuptiBuffers().owns(buffer)) {
        if (recordsAreOurs || complete == nullptr) {
            cuptiBuffers().finish(buffer, validBytes);
        } else {
            giveRecords(context, stream, buffer, validBytes);
        }
        return;
    }
    if (recordsAreOurs && validBytes != 0) {
        cuptiBuffers().finishCopy(buffer, validBytes);
        validBytes = 0;
    }
    if (complete != nullptr) {
        complete(context, stream, buffer, bytes, validBytes);
    }
}

} // namespace

void enter(Call call)
{
    if (call == Call::Begins) {
        g_state.inCalls.fetch_add(1);
    } else if (isActive()) {
        g_state.lastCallNs.store(readClockNs(CLOCK_MONOTONIC));
    }
}

void leave(Call call)
{
    if (call == Call::Begins) {
        g_state.lastCallNs.store(readClockNs(CLOCK_MONOTONIC));
        g_state.inCalls.fetch_sub(1);
    }
}

void noteSubscribed()
{
    g_state.subscribers.fetch_add(1);
}

void noteUnsubscribed()
{
    if (g_state.subscribers.fetch_sub(1) == 1 && g_state.hasOwnRecords.exchange(false)) {
        g_state.kinds.store(0); // they were the subscriber's
    }
}

void noteOwnRecords()
{
    g_state.hasOwnRecords.store(true);
}

void noteKind(cupti::Kind kind, bool on)
{
    if (on) {
        g_state.kinds.fetch_or(bitOf(kind));
    } else {
        g_state.kinds.fetch_and(~bitOf(kind));
    }
}

void noteFinalized()
{
    g_state.kinds.store(0);
    g_state.subscribers.store(0);
    g_state.hasOwnRecords.store(false);
}

BufferCallbacks takeCallbacks(const BufferCallbacks& theirs)
{
    g_state.requested.store(theirs.requested);
    g_state.completed.store(theirs.completed);
    return sharedCallbacks();
}

bool isActive()
{
    const bool refusesUs = g_state.hasOwnRecords.load() && isSubscribed();
    if (g_state.inCalls.load() != 0 || g_state.kinds.load() != 0 || refusesUs) {
        return true;
    }
    const std::int64_t last = g_state.lastCallNs.load();
    return last != 0 && readClockNs(CLOCK_MONOTONIC) - last < kQuietNs;
}

bool isSubscribed()
{
    return g_state.subscribers.load() > 0;
}

bool hasCallbacks()
{
    return g_state.completed.load() != nullptr;
}

void takeBuffers(cupti::NextRecord nextRecord)
{
    g_state.nextRecord.store(nextRecord);
    g_state.recordsAreOurs.store(true);
}

void leaveBuffers()
{
    g_state.recordsAreOurs.store(false);
}

BufferCallbacks sharedCallbacks()
{
    return {&bufferRequested, &bufferCompleted};
}

} // namespace ringside::collector::neighbour
