// SPDX-License-Identifier: Apache-2.0
// The device tier: what ran on the GPU and when, from CUPTI's activity records. It is on while the level
// is standard or deep, and releases CUPTI when its window is over. This part runs on the drain thread:
// it turns records into rows and writes when the tier was on and why not. device/cupti_session.h makes
// the calls that may block.
#pragma once
#include "device/activity_reader.h"
#include "device/cupti_session.h"
#include "record/session.h"

#include <optional>
#include <string>

namespace ringside::collector {

class DeviceTier final : public Participant {
public:
    void begin(trace::Writer& writer, const Options& options) override;
    void pass(trace::Writer& writer, Registry& registry) override;
    void end(trace::Writer& writer, Registry& registry) override;
    void abandon() override;

    /// Whether CUPTI cannot be used, or is left to another tool.
    [[nodiscard]] bool isUnavailable() const
    {
        return !m_reserved.empty() || m_state == CuptiReport::State::Refused ||
               m_state == CuptiReport::State::StandsBack;
    }
    [[nodiscard]] bool isOn() const { return m_state == CuptiReport::State::On; }

private:
    enum class Reading {
        Usual, ///< waits for two readings of the device's clock
        Last
    };
    [[nodiscard]] bool isOpeningSoon() const;
    [[nodiscard]] bool isCatchingUp();
    void takeOver(trace::Writer& writer, Reading reading);
    void addClocks(const CuptiReport& report, trace::Writer& writer);
    void readBuffers();
    void noteState(trace::Writer& writer, const CuptiReport& report);
    void noteGap(trace::Writer& writer, const std::string& gap);
    bool noteWindow();
    bool countWindow();
    void noteRefusal(trace::Writer& writer, const std::string& reason);
    void countDropped(trace::Writer& writer, std::int64_t byCupti);
    void countUntied(trace::Writer& writer);
    void describe(trace::Writer& writer) const;

    CuptiSession m_session;
    std::optional<ActivityReader> m_reader;
    bool m_cudaLoaded = false;
    std::string m_reserved; ///< why CUPTI is left to another tool; empty: it is not
    CuptiReport::State m_state = CuptiReport::State::Off;
    std::optional<std::int64_t> m_onNs;
    std::optional<std::int64_t> m_offNs;
    std::optional<std::int64_t>
        m_overNs;          ///< its window is over, and the device still runs what was launched in it
    std::string m_window;  ///< the last one, in words; empty: it is everything
    std::string m_refusal; ///< the last one
    int m_windows = 0;
    bool m_windowCounted = false; ///< the one for which CUPTI is on
    std::string m_gaps;           ///< times at which another client had CUPTI
    int m_gapCount = 0;
    // The issues have been written for these already.
    std::int64_t m_unreadBuffers = 0;
    std::int64_t m_untiedCalls = 0;
};

} // namespace ringside::collector
