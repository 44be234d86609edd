// SPDX-License-Identifier: Apache-2.0
// A report: everything that all formats show, computed once. Formats only print it; they must not decide
// anything.
#pragma once
#include "metrics/metrics.h"
#include "model/model.h"
#include "rules/rule.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ringside::report {

enum class Confidence : std::uint8_t { High, Medium, Low, Inconclusive };
[[nodiscard]] std::string_view confidenceName(Confidence confidence);

struct Verdict {
    std::string summary; ///< one paragraph: what limits the run, what it costs, what to try first
    rules::Limit limitedBy = rules::Limit::Nothing;
    Confidence confidence = Confidence::High;
    std::string reason; ///< why the confidence is not high; empty when it is
    std::string rule;   ///< of the finding that it names first; empty: none
};

struct MissingRule {
    std::string rule;
    std::string reason;
    bool inconclusive = false; ///< it had data, but not enough to tell
};

struct Tier {
    std::string name;
    std::vector<std::int64_t> ranks;  ///< on which it was active
    std::vector<std::string> reasons; ///< why it was not on others, each once
};

struct Report {
    model::Model model;
    metrics::RunMetrics metrics;
    std::vector<rules::Finding> findings; ///< costliest first
    std::vector<MissingRule> notApplicable;
    std::vector<trace::IssueRow> issues;
    std::vector<Tier> tiers; ///< host, nvtx, nccl, device, sampled
    Verdict verdict;
    std::int64_t droppedRecords = 0;
    std::int64_t recoveredRecords = 0;
    std::optional<std::string> startedAt; ///< ISO 8601, UTC
};

/// Runs the model, the metrics and all rules. A rule that throws becomes an issue. Throws ringside::Error
/// (Usage) where the run has no steps as `modelOptions` say, or is no job of their sizes.
[[nodiscard]] Report buildReport(trace::RunTrace run, const rules::OptionValues& options,
                                 const model::ModelOptions& modelOptions = {});

/// Parses "rule.option=value" into `values`; throws ringside::Error (Usage) for what does not exist.
void setOption(rules::OptionValues& values, std::string_view assignment);

[[nodiscard]] Verdict judge(const Report& report);

} // namespace ringside::report
