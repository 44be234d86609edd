// SPDX-License-Identifier: Apache-2.0
// Everything that a report shows, computed once. Formats only print it and compute nothing.
#pragma once
#include "live/alarm_log.h"
#include "metrics/achieved_flops.h"
#include "metrics/metrics.h"
#include "model/model.h"
#include "report/all_steps.h"
#include "report/judged.h"
#include "report/message_groups.h"
#include "report/model_description.h"
#include "rules/rule.h"
#include "words/render.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ringside::report {

struct Verdict {
    words::Text summary; ///< one paragraph: what limits the run, what it costs, what to try first
    rules::Limit limitedBy = rules::Limit::Nothing;
    Confidence confidence = Confidence::High;
    words::Text reason; ///< why the confidence is not high; empty if it is
    std::string rule;   ///< rule of the finding that it names first; empty if none
    /// That finding, as index into Report::findings. The summary gives its advice.
    std::optional<std::size_t> finding;
    std::vector<Judged> conditions; ///< of its confidence; none for a run that is broken
};

struct MissingRule {
    std::string rule;
    words::Text reason;
    bool inconclusive = false; ///< there was data, but not enough for a conclusion
};

struct Tier {
    trace::TierName name;
    std::vector<std::int64_t> ranks;  ///< ranks on which it was active
    std::vector<std::string> reasons; ///< why it was not active on others, each reason once
};

struct Report {
    model::Model model;
    metrics::RunMetrics metrics;
    std::optional<metrics::AchievedFlops> flops; ///< null if the shapes of no operator were recorded
    std::vector<rules::Finding> findings;        ///< costliest first
    std::vector<MissingRule> notApplicable;
    std::vector<trace::IssueRow> issues;
    std::vector<Tier> tiers;             ///< host, nvtx, nccl, device, sampled
    std::vector<MessageGroup> messages;  ///< sends, receives and one-sided calls of the run
    std::vector<live::AlarmSpan> alarms; ///< that `ringside record` raised while it watched the run
    Verdict verdict;
    std::int64_t droppedRecords = 0;
    std::int64_t recoveredRecords = 0;
    std::optional<std::string> startedAt;        ///< ISO 8601, UTC
    std::optional<double> pricePerGpuHour;       ///< that the user gave, in any currency
    std::optional<ModelDescription> description; ///< that the user gave
    std::optional<AllSteps> allSteps;            ///< of a run of which summaries were read
    std::size_t stretches = 1;                   ///< parts in which the run was read, one after the other
    /// How many of the analyzed steps, the last ones, have their rows in the model. Null: all.
    std::optional<std::size_t> stepsWithRows;

    [[nodiscard]] words::Voice voice() const
    {
        return {model.recordingIsStep() ? words::Period::Second : words::Period::Step, model.imported};
    }
    /// What figures refer to: "step" or "second".
    [[nodiscard]] std::string_view periodWord() const { return model.recordingIsStep() ? "second" : "step"; }
    /// The sentence of a finding's text.
    [[nodiscard]] std::string sentence(const words::Text& text) const { return words::render(text, voice()); }
};

/// Computes the model, the metrics and all rules. A rule that throws becomes an issue. Throws ringside::Error
/// (Usage) if the run has no steps of the kind that `modelOptions` asks for, or does not match its parallel
/// sizes.
[[nodiscard]] Report buildReport(trace::RunTrace run, const rules::OptionValues& options,
                                 const model::ModelOptions& modelOptions = {});

/// A report before findings are compared with each other.
struct Draft {
    Report report; ///< its findings have the costs of replays; no verdict yet
    /// What the rules estimated for each finding. These costs can be compared with each other.
    std::vector<std::optional<std::int64_t>> estimates;
};

/// Does the part of buildReport that needs the rows of the trace: model, metrics, rules and replays.
[[nodiscard]] Draft draftReport(
    trace::RunTrace run, const rules::OptionValues& options, const model::ModelOptions& modelOptions,
    const std::function<void()>& checkpoint = [] {});
/// Does the rest: which finding's cost includes which, their order, the verdict.
[[nodiscard]] Report finishReport(Draft draft);

/// Parses "rule.option=value" into `values`. Throws ringside::Error (Usage) if the option does not exist or
/// the value is not a number.
void setOption(rules::OptionValues& values, std::string_view assignment);

[[nodiscard]] Verdict computeVerdict(const Report& report);
/// Returns the finding that the verdict names first; null if it names none.
[[nodiscard]] const rules::Finding* namedFinding(const Report& report);

} // namespace ringside::report
