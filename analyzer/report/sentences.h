// SPDX-License-Identifier: Apache-2.0
// What the formats for people say in words, so that they all say the same. Units are chosen here: the JSON
// report has the raw values.
#pragma once
#include "report/report.h"

#include <string>
#include <string_view>
#include <vector>

namespace ringside::report {

/// How sure it is what a step is: "low", "medium", "high"
[[nodiscard]] std::string_view stepConfidenceName(model::StepConfidence confidence);
/// "Steps of the base are guessed ...", where they are; or that none was found.
[[nodiscard]] std::string guessedRemark(const model::Model& model, std::string_view whose);
/// "34 %" of communication, "-" without any.
[[nodiscard]] std::string overlapText(const metrics::Breakdown& part);
/// "ranks 0-3: steps 10 to 60", or why it was not recorded.
[[nodiscard]] std::string tierText(const Tier& tier);
/// "limited by a late rank (medium confidence: ...)"
[[nodiscard]] std::string verdictText(const Verdict& verdict);
/// Step time, communication, utilization and its variance over the run, one sentence a line.
[[nodiscard]] std::vector<std::string> keyLines(const Report& report);
/// "Steps: 40 found, 38 analyzed ..." and so on: what the figures rest on, one sentence a line.
[[nodiscard]] std::vector<std::string> coverageLines(const Report& report);
/// "1-3, 7" of many ranks; "all" when empty.
[[nodiscard]] std::string rankList(const std::vector<std::int64_t>& ranks);
/// "late_rank, wait_dominates: needs ...", one line a reason.
[[nodiscard]] std::vector<std::string> notJudgedLines(const Report& report);
/// "lost per step 89.34 ms", with its threshold if it has one.
[[nodiscard]] std::string figureText(const rules::Figure& figure);
/// "rank 2 at 1.234567 s for 8.05 ms: ..."
[[nodiscard]] std::string evidenceText(const rules::Evidence& place);
/// "12.34 ms a step, part of exposed_communication", or "not estimated".
[[nodiscard]] std::string costText(const rules::Finding& finding);

} // namespace ringside::report
