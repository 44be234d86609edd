// SPDX-License-Identifier: Apache-2.0
// The rows of one host that files tell of: series, samples and facts as the collector would have written
// them, on the clock of a run's host if there is one.
#pragma once
#include "trace/vocabulary/series.h"

#include <ringside/trace/reader.h>

#include <map>
#include <string>
#include <utility>

namespace ringside::tool_output {

/// How times of files become times of a host in the run.
struct HostClock {
    std::string bootId;
    std::optional<std::int64_t> toMonotonicNs; ///< added to a time since 1970; null: no clock of the run
    std::int64_t startNs = 0;                  ///< of the run on that host, on its clock
    std::optional<std::int64_t> endNs;         ///< null: it has no end
};
/// Returns the clock of the run's host of that name; one without a clock if the run has none.
[[nodiscard]] HostClock clockOf(const trace::RunTrace& run, const std::string& host);

class HostTrace final {
public:
    HostTrace(const std::string& host, HostClock clock);

    void addFact(trace::SettingRow row);
    [[nodiscard]] std::uint32_t series(trace::SeriesName name, const std::string& entity);
    [[nodiscard]] std::uint32_t kernelSeries(std::string_view metric, const std::string& entity);
    /// Says why a series has no values, or not all of them.
    void setReason(std::uint32_t series, const std::string& reason);
    void addSample(std::uint32_t series, std::int64_t timeNs, std::int64_t value);
    [[nodiscard]] trace::StringId text(const std::string& text);

    [[nodiscard]] const HostClock& clock() const { return m_clock; }
    /// Returns the rows, with the first sample as the start where there is no clock of a run.
    [[nodiscard]] trace::ProcessTrace take();

private:
    [[nodiscard]] std::uint32_t add(trace::SeriesRow row);

    HostClock m_clock;
    trace::ProcessTrace m_trace;
    std::map<std::pair<std::string, std::string>, std::uint32_t> m_series; ///< by entity, source and metric
    std::map<std::string, trace::StringId> m_texts;
};

} // namespace ringside::tool_output
