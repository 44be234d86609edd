// SPDX-License-Identifier: Apache-2.0
// What this process says of itself while it runs: the latest steps, how far its communicators are, the calls
// that its threads are in, a hang, the latest samples. Bounded: trace::kMostPartBytes of JSON.
#pragma once
#include "record/clock.h"
#include "summary/step_summarizer.h"

#include <ringside/trace/writer.h>

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ringside::collector::live {

/// What the process is, asked for anew for each text.
struct ProcessNow {
    std::string base; ///< HOST-PID
    std::int64_t pid = 0;
    std::string level; ///< recorded now
    bool emulated = false;
    std::uint64_t steps = 0; ///< begun so far; 0: nothing marks steps
    std::vector<trace::RankRow> ranks;
    std::vector<trace::InFlightRow> calls;
    ClockSample clock{};
};

class LivePart final {
public:
    void see(const trace::CommunicatorRow& row);
    void see(const trace::CollectiveCallRow& row);
    void see(const trace::GraphLaunchRow& row);
    void see(const trace::SeriesRow& row);
    void see(const trace::SampleRow& row);
    void see(const trace::HangRow& row);
    void add(const summary::Summary& step);

    [[nodiscard]] std::string text(const ProcessNow& now) const;

private:
    struct Communicator {
        std::uint64_t hash = 0;
        std::int64_t rank = -1;
        std::int64_t size = 0;
        std::optional<std::int64_t> sequence; ///< of the latest call; null: none
        std::int64_t issuedNs = 0;
    };
    struct Sample {
        std::string source;
        std::string entity;
        std::string metric;
        std::optional<std::int64_t> first; ///< value; null: none has come
        std::int64_t value = 0;
        std::int64_t timeNs = 0;
        std::int64_t firstNs = 0;
    };
    [[nodiscard]] std::string stepsText(const ProcessNow& now, std::size_t most) const;
    [[nodiscard]] std::string communicatorsText(const ProcessNow& now) const;
    [[nodiscard]] std::string callsText(const ProcessNow& now) const;
    [[nodiscard]] std::string samplesText(const ProcessNow& now) const;
    [[nodiscard]] std::string textWith(const ProcessNow& now, std::size_t mostSteps) const;
    void issue(std::int64_t communicator, std::int64_t sequence, std::int64_t ns);

    std::deque<trace::StepSummaryRow> m_steps; ///< the latest
    std::map<std::int64_t, Communicator> m_communicators;
    std::map<std::uint32_t, Sample> m_samples;
    std::optional<trace::HangRow> m_hang;
};

} // namespace ringside::collector::live
