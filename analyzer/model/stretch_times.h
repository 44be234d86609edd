// SPDX-License-Identifier: Apache-2.0
// When the hosts were in the steps of a stretch. What belongs to the steps around a stretch belongs to
// another stretch, too, and must not be counted twice.
#pragma once
#include "model/model_options.h"
#include "model/time.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ringside::model {

class StretchTimes final {
public:
    StretchTimes() = default; ///< of the whole run: everything belongs to it
    explicit StretchTimes(const StepStretch& stretch);

    /// Returns whether what a process began at a time of its host belongs to the stretch.
    [[nodiscard]] bool holds(std::size_t process, std::int64_t hostNs) const
    {
        return m_ofProcess.empty() ||
               (hostNs >= m_ofProcess[process].start && hostNs < m_ofProcess[process].end);
    }
    [[nodiscard]] bool isCutBefore() const { return m_cutBefore; } ///< the run began before the trace

private:
    std::vector<Interval> m_ofProcess;
    bool m_cutBefore = false;
};

} // namespace ringside::model
