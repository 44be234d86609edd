// SPDX-License-Identifier: Apache-2.0
// The device tier: what ran on the GPU and when, from CUPTI's activity records. Everything but the two buffer
// callbacks happens on the drain thread. It subscribes first (so it never disturbs another tool) and lets go
// when its window is over.
#pragma once
#include "device/activity_reader.h"
#include "device/buffer_pool.h"
#include "record/session.h"

#include <memory>
#include <optional>

namespace ringside::collector {

/// Which stretch of a run is measured under the profile; a plain value, so that it is tested without CUPTI.
/// A program that marks no steps shows that only by not having marked one for a while: then it is measured
/// for a minute. Steps that come later open the window that they are due all the same.
struct DeviceWindow {
    static constexpr std::uint64_t kFirstStep = 10;
    static constexpr std::uint64_t kLastStep = 60;
    static constexpr std::int64_t kWaitForStepsNs = 10'000'000'000;
    static constexpr std::int64_t kWithoutStepsNs = 60'000'000'000;
    [[nodiscard]] static bool contains(Profile profile, std::uint64_t steps, std::int64_t sinceStartNs);
};

class DeviceTier final : public Participant {
public:
    void begin(trace::Writer& writer, const Options& options) override;
    void pass(trace::Writer& writer, Registry& registry) override;
    void end(trace::Writer& writer, Registry& registry) override;
    void abandon() override;

private:
    bool load(trace::Writer& writer);
    void disableKinds();
    void turnOn(trace::Writer& writer);
    void turnOff(trace::Writer& writer);
    void refuse(trace::Writer& writer, const char* reason);
    void flush(std::uint32_t flag);
    void readBuffers();
    void sampleClock();
    void countDropped(trace::Writer& writer);
    void describe(trace::Writer& writer) const;
    [[nodiscard]] std::string window() const;

    CuptiLibrary m_cupti;
    std::optional<ActivityReader> m_reader;
    void* m_subscriber = nullptr;
    Profile m_profile = Profile::Off;
    bool m_loaded = false;
    bool m_refused = false;
    bool m_on = false;
    std::int64_t m_beganNs = 0;
    std::int64_t m_lastFlushNs = 0;
    std::int64_t m_dropped = 0;
    std::optional<std::int64_t> m_onNs;
    std::optional<std::int64_t> m_offNs;
    std::string m_earlier; ///< the windows before the last one, in words
    std::uint64_t m_steps = 0;
    bool m_onByTime = false; ///< no step was marked when the last window opened
};

} // namespace ringside::collector
