// SPDX-License-Identifier: Apache-2.0
#include "device/event_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace ringside::collector {
namespace {

// CUDA gives milliseconds as float: so long after the anchor they are still exact to 0.1 us, and two clocks
// of 10 ppm have drifted apart by 10 us.
constexpr std::int64_t kAnchorAgeNs = 1'000'000'000;
constexpr double kNsPerMs = 1e6;

/// How far from the truth rounding alone may put it.
double roundingNs(float milliseconds)
{
    const float size = std::fabs(milliseconds);
    return (std::nextafter(size, std::numeric_limits<float>::max()) - size) * kNsPerMs;
}

} // namespace

bool EventReader::succeeded(const char* function, cudaError_t result)
{
    if (result != cudaSuccess) {
        m_failed = true;
        m_timing.fail(function, result);
    }
    return result == cudaSuccess;
}

bool EventReader::makeEvents(Device& device)
{
    const EventLibrary& cuda = m_timing.cuda;
    const auto create = [&](cudaEvent_t& event) {
        constexpr unsigned kTimed = 0; // neither without timing nor with blocking synchronisation
        return succeeded("cudaEventCreateWithFlags", cuda.create(&event, kTimed));
    };
    for (Anchor& anchor : device.anchors) {
        if (!create(anchor.event)) {
            return false;
        }
    }
    for (EventPair& pair : device.pool->all()) {
        if (!create(pair.before) || !create(pair.after)) {
            return false;
        }
    }
    return true;
}

bool EventReader::addDevice(int device)
{
    Device added;
    added.ordinal = device;
    if (!succeeded("cudaSetDevice", m_timing.cuda.setDevice(device)) ||
        !succeeded("cudaStreamCreateWithFlags",
                   m_timing.cuda.createStream(&added.stream, cudaStreamNonBlocking))) {
        return false;
    }
    auto pool = std::make_unique<EventPool>();
    added.pool = pool.get();
    if (!makeEvents(added)) {
        return false;
    }
    renewAnchor(added);
    m_devices.push_back(added);
    // Never freed: threads of the program may be inside.
    m_timing.pools[static_cast<std::size_t>(device)].store(pool.release(), std::memory_order_release);
    return true;
}

void EventReader::pass(Ring& ring)
{
    m_waiting = 0;
    for (Device& device : m_devices) {
        const Anchor& current = device.anchors[0];
        if (current.atNs == 0 || readClockNs(CLOCK_MONOTONIC) - current.atNs > kAnchorAgeNs) {
            renewAnchor(device);
        }
        read(device, ring);
    }
}

// The narrowest of a few, so that an interrupt or a busy device between two readings does not count.
void EventReader::renewAnchor(Device& device)
{
    constexpr int kAttempts = 4;
    constexpr std::uint32_t kNarrowNs = 5'000;
    auto& [current, previous, best, trial] = device.anchors;
    best.atNs = 0;
    for (int attempt = 0; attempt < kAttempts && (best.atNs == 0 || best.halfWidthNs > kNarrowNs);
         ++attempt) {
        if (watch(device, trial) && (best.atNs == 0 || trial.halfWidthNs < best.halfWidthNs)) {
            std::swap(best, trial);
        }
    }
    if (best.atNs != 0) {
        std::rotate(device.anchors.begin(), device.anchors.begin() + 2, device.anchors.begin() + 3);
    }
}

/// False: it failed, or did not happen while it was watched (another stream's work may be in its way).
bool EventReader::watch(const Device& device, Anchor& anchor)
{
    constexpr std::int64_t kLongestNs = 1'000'000;
    const std::int64_t beforeNs = readClockNs(CLOCK_MONOTONIC);
    const std::uint64_t beforeTicks = ticks();
    if (!succeeded("cudaEventRecord", m_timing.cuda.record(anchor.event, device.stream))) {
        return false;
    }
    cudaError_t result = cudaErrorNotReady;
    std::uint64_t afterTicks = 0;
    std::int64_t afterNs = 0;
    do {
        result = m_timing.cuda.query(anchor.event);
        afterTicks = ticks();
        afterNs = readClockNs(CLOCK_MONOTONIC);
    } while (result == cudaErrorNotReady && afterNs - beforeNs < kLongestNs);
    if (result == cudaErrorNotReady || !succeeded("cudaEventQuery", result)) {
        return false;
    }
    anchor.ticks = beforeTicks + (afterTicks - beforeTicks) / 2;
    anchor.atNs = beforeNs;
    anchor.halfWidthNs = static_cast<std::uint32_t>((afterNs - beforeNs + 1) / 2);
    return true;
}

// A stream's pairs happen in order: behind one that has not happened nobody needs to ask.
void EventReader::read(const Device& device, Ring& ring)
{
    if (device.anchors[0].atNs == 0) {
        ++m_waiting; // nothing can be told yet
        return;
    }
    m_busyStreams.clear();
    device.pool->forEachRecorded([&](EventPair& pair) {
        if (m_failed) {
            return;
        }
        const bool behind = std::ranges::find(m_busyStreams, pair.stream) != m_busyStreams.end();
        const cudaError_t result = behind ? cudaErrorNotReady : m_timing.cuda.query(pair.after);
        if (result == cudaErrorNotReady) {
            ++m_waiting;
            m_busyStreams.push_back(pair.stream);
        } else if (succeeded("cudaEventQuery", result) && write(device, pair, ring)) {
            pair.state.store(EventPair::State::Free, std::memory_order_release);
        }
    });
}

// By the anchor before the current one, where there is one: what was just seen to have happened may have
// happened before the current one, and CUDA promises no negative times.
bool EventReader::write(const Device& device, const EventPair& pair, Ring& ring)
{
    const Anchor& anchor = device.anchors[device.anchors[1].atNs != 0 ? 1 : 0];
    float sinceAnchor = 0;
    float length = 0;
    if (!succeeded("cudaEventElapsedTime", m_timing.cuda.elapsed(&sinceAnchor, anchor.event, pair.after)) ||
        !succeeded("cudaEventElapsedTime", m_timing.cuda.elapsed(&length, pair.before, pair.after))) {
        return false;
    }
    auto* const record = ring.reserve<trace::EventTimeRecord>();
    if (record == nullptr) {
        return true; // counted by the ring
    }
    record->callId = pair.call;
    record->anchorTicks = anchor.ticks;
    record->endNs = std::llround(static_cast<double>(sinceAnchor) * kNsPerMs);
    record->startNs = record->endNs - std::max(0LL, std::llround(static_cast<double>(length) * kNsPerMs));
    record->device = device.ordinal;
    record->stream = pair.stream;
    record->uncertaintyNs = anchor.halfWidthNs + static_cast<std::uint32_t>(
                                                     std::ceil(roundingNs(sinceAnchor) + roundingNs(length)));
    ring.commit(record, trace::RecordKind::EventTime);
    return true;
}

} // namespace ringside::collector
