// SPDX-License-Identifier: Apache-2.0
// The device tier: what ran on the GPU and when, from CUPTI's activity records. Everything but the two buffer
// callbacks happens on the drain thread. It is on while the level is standard or deep: it subscribes first
// (so it never disturbs another tool) and lets go when its window is over.
#pragma once
#include "device/activity_reader.h"
#include "device/buffer_pool.h"
#include "record/session.h"

#include <memory>
#include <optional>

namespace ringside::collector {

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

    CuptiLibrary m_cupti;
    std::optional<ActivityReader> m_reader;
    void* m_subscriber = nullptr;
    bool m_loaded = false;
    bool m_refused = false;
    bool m_on = false;
    std::int64_t m_lastFlushNs = 0;
    std::int64_t m_dropped = 0;
    std::optional<std::int64_t> m_onNs;
    std::optional<std::int64_t> m_offNs;
    std::string m_window; ///< the last one, in words; empty: it is everything
    int m_windows = 0;
};

} // namespace ringside::collector
