// SPDX-License-Identifier: Apache-2.0
// Sentences that all formats for people share. Units are chosen here; the JSON report has the raw values.
#pragma once
#include "document/table.h"
#include "report/report.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::report {

/// A remark of comparisons.
inline constexpr const char* kAllEmulated =
    "All runs were emulated on the CPU platform: their times follow its device model, not a GPU.";

/// Returns how certain the detected steps are: "low", "medium" or "high".
[[nodiscard]] std::string_view stepConfidenceName(model::StepConfidence confidence);
/// Returns a remark if the steps of a run were guessed or none were found; empty otherwise. `whose` names the
/// run, for example "base".
[[nodiscard]] std::string guessedRemark(const model::Model& model, std::string_view whose);
/// Returns the overlap as a share of communication, "34 %"; "-" if there is no communication.
[[nodiscard]] std::string overlapText(const metrics::Breakdown& part);
/// Returns the ranks of a tier with its reasons, "ranks 0-3: steps 10 to 60", or why it was not recorded.
[[nodiscard]] std::string tierText(const Tier& tier);
/// Returns "medium confidence: only 3 of 4 ranks were recorded".
[[nodiscard]] std::string confidenceText(const Report& report);
/// Returns "limited by a late rank (medium confidence: ...)".
[[nodiscard]] std::string verdictText(const Report& report);
/// Returns why the parts of a step were not measured, and what to do. Only for a report without
/// RunMetrics::ranks.
[[nodiscard]] words::Text whyNotMeasured(const Report& report);
/// Returns step time, communication, utilization and its variance over the run, one sentence per line.
[[nodiscard]] std::vector<std::string> keyLines(const Report& report);
/// Returns what the figures rest on: ranks, steps, dropped records, clocks and so on, one sentence per line.
[[nodiscard]] std::vector<std::string> coverageLines(const Report& report);
/// Returns "1-3, 7, 10-45 in steps of 7"; "all" if empty. `ranks` ascend. Long lists end with "and 9 more".
[[nodiscard]] std::string rankList(const std::vector<std::int64_t>& ranks);
/// Returns "rank 1", "ranks 1-3, 7"; "all ranks" if the finding names none.
[[nodiscard]] std::string whoText(const rules::Finding& finding);
/// Returns the rules that were not applicable, without those that need a tier which the tool behind an
/// imported trace never records.
[[nodiscard]] std::vector<MissingRule> rulesNotJudged(const Report& report);
/// Returns the rules that were not judged, one line per reason: "late_rank, wait_dominates: needs ...".
[[nodiscard]] std::vector<std::string> notApplicableLines(const Report& report);
/// Returns "lost per step 89.34 ms", with its threshold if it has one.
[[nodiscard]] std::string figureText(const rules::Figure& figure, words::Period period);
/// Returns the place with its text, "rank 2 at 1.234567 s for 8.05 ms: ...".
[[nodiscard]] document::Place placeOf(const Report& report, const rules::Evidence& evidence);
/// Returns the place of the first evidence; null if there is none, as of a setting.
[[nodiscard]] std::optional<document::Place> placeOf(const Report& report, const rules::Finding& finding);
/// Returns "12.34 ms a step, part of exposed_communication", or "not estimated".
[[nodiscard]] std::string costText(const rules::Finding& finding);

} // namespace ringside::report
