// SPDX-License-Identifier: Apache-2.0
// Decides when NCCL calls are timed by CUDA events: the option is set, the level includes the device
// tier, CUPTI cannot be used, and no reason forbids it. Runs on the drain thread. Writes when the tier
// was on, why not, and how many calls were not timed.
#pragma once
#include "device/device_tier.h"
#include "device/event_session.h"

#include <array>
#include <optional>
#include <string>

namespace ringside::collector {

class EventTier final : public Participant {
public:
    explicit EventTier(const DeviceTier& device) : m_device(device) {}
    void begin(trace::Writer& writer, const Options& options) override;
    void pass(trace::Writer& writer, Registry& registry) override;
    void end(trace::Writer& writer, Registry& registry) override;
    void abandon() override;

private:
    void decide(trace::Writer& writer, const Registry& registry);
    void start(trace::Writer& writer);
    void refuse(trace::Writer& writer, const std::string& reason);
    void noteEnd(trace::Writer& writer);
    void describe(trace::Writer& writer, const std::string& reason);
    void countSkipped(trace::Writer& writer);

    const DeviceTier& m_device;
    EventSession m_session;
    bool m_asked = false;
    bool m_started = false;
    bool m_over = false; ///< refused, or ended for good
    bool m_on = false;
    bool m_saidNotNeeded = false;
    std::optional<std::int64_t> m_onNs;
    std::optional<std::int64_t> m_offNs;
    std::string m_reason;
    std::array<std::uint64_t, static_cast<std::size_t>(EventSkip::kCount)> m_counted{};
};

} // namespace ringside::collector
