// SPDX-License-Identifier: Apache-2.0
// What summaries of hosts (`ringside reduce`) tell of the steps whose rows they do not contain.
#pragma once
#include "model/model.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ringside::report {

/// A part of the run: consecutive steps.
struct StepPart {
    std::int64_t firstStep = 0, lastStep = 0;
    std::int64_t medianNs = 0; ///< over its steps, of means over the ranks
    std::size_t analyzed = 0;  ///< of its steps, those that were analyzed with all their rows
};

struct AllSteps {
    std::size_t summaries = 0; ///< processes of which only a summary was read
    std::size_t processes = 0; ///< of the run
    std::size_t steps = 0;     ///< of which the summaries have sums
    /// Of the length of a step, a mean over its ranks: on the device, else on the host without the first and
    /// the last step. Null: no summary has a length.
    std::optional<std::int64_t> medianNs, p99Ns;
    bool onHost = false;                   ///< the lengths are those on the host
    std::vector<StepPart> parts;           ///< up to 10, equally long; none below 20 steps
    std::vector<std::string> traceFolders; ///< where the whole traces are, ascending
};

/// Returns null if no process is a summary.
[[nodiscard]] std::optional<AllSteps> allStepsOf(const model::Model& model);

/// Returns sentences for the coverage of a report; none if there are no summaries.
[[nodiscard]] std::vector<std::string> allStepsLines(const std::optional<AllSteps>& all,
                                                     std::size_t analyzed);

} // namespace ringside::report
