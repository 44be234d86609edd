// SPDX-License-Identifier: Apache-2.0
// Asks CUDA whether pairs of events have happened and when, and writes that into a ring. Only ever asks,
// never waits for a device. CUDA tells times between events alone, so one event of our own about every
// second, the anchor, is watched until it happens: its moment on the host's clock is known within that time.
#pragma once
#include "device/event_timing.h"
#include "record/ring.h"

#include <array>
#include <vector>

namespace ringside::collector {

class EventReader final {
public:
    explicit EventReader(EventTiming& timing) : m_timing(timing) {}

    /// Events, a stream for the anchors, and the first of them. False: CUDA failed, the timing has the error.
    bool addDevice(int device);
    /// Writes what has happened since the last pass.
    void pass(Ring& ring);
    /// Pairs that had not happened at the last pass.
    [[nodiscard]] std::size_t waiting() const { return m_waiting; }
    /// CUDA gave an error here; what it gave in a call of the program's does not keep this from reading.
    [[nodiscard]] bool failed() const { return m_failed; }

private:
    struct Anchor {
        cudaEvent_t event = nullptr;
        std::uint64_t ticks = 0;
        std::int64_t atNs = 0; ///< CLOCK_MONOTONIC, 0: it never happened
        std::uint32_t halfWidthNs = 0;
    };
    struct Device {
        int ordinal = 0;
        cudaStream_t stream = nullptr;
        EventPool* pool = nullptr;
        std::array<Anchor, 4> anchors; ///< the current one, the one before, and two to try with
    };

    bool succeeded(const char* function, cudaError_t result);
    bool makeEvents(Device& device);
    void renewAnchor(Device& device);
    bool watch(const Device& device, Anchor& anchor);
    void read(const Device& device, Ring& ring);
    bool write(const Device& device, const EventPair& pair, Ring& ring);

    EventTiming& m_timing;
    std::vector<Device> m_devices;
    std::vector<std::uint32_t> m_busyStreams;
    std::size_t m_waiting = 0;
    bool m_failed = false;
};

} // namespace ringside::collector
