// SPDX-License-Identifier: Apache-2.0
// Queries which pairs of events have completed and when, and writes that into a ring. It never waits for
// a device. CUDA only gives times between events. So about once a second an event of the collector, the
// anchor, is polled until it completes; the interval between polls bounds its time on the host's clock.
#pragma once
#include "device/event_timing.h"
#include "record/ring.h"

#include <array>
#include <vector>

namespace ringside::collector {

class EventReader final {
public:
    explicit EventReader(EventTiming& timing) : m_timing(timing) {}

    /// Creates events, a stream for the anchors, and the first anchor. Returns false if CUDA failed; the
    /// timing has the error.
    bool addDevice(int device);
    /// Writes the pairs that have completed since the last pass.
    void pass(Ring& ring);
    /// Number of pairs that had not completed at the last pass.
    [[nodiscard]] std::size_t waiting() const { return m_waiting; }
    /// Whether a CUDA call failed here. An error in a call of the program does not stop reading.
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
