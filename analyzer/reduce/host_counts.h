// SPDX-License-Identifier: Apache-2.0
// What the host of a process did in a step: the host's columns of table step_summary.
#pragma once
#include "model/time.h"

#include <ringside/trace/reader.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace ringside::reduce {

class HostCounts final {
public:
    explicit HostCounts(const trace::ProcessTrace& process);
    /// Returns a row with the times of the step and what began in it.
    [[nodiscard]] trace::StepSummaryRow of(const model::Interval& step) const;

private:
    std::vector<std::int64_t> m_launches;                       ///< starts, ascending
    std::vector<std::pair<std::int64_t, std::int64_t>> m_calls; ///< by start: how many
    std::vector<model::Interval> m_blocking;                    ///< by start
    std::vector<model::Interval> m_loading;
};

} // namespace ringside::reduce
