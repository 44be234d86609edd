// SPDX-License-Identifier: Apache-2.0
// Findings of the table of conditions.
#pragma once
#include "conditions/condition.h"
#include "rules/shared/support.h"
#include "words/device_samples.h"

namespace ringside::rules {

/// Returns the user's thresholds of the rule that `context` runs.
[[nodiscard]] conditions::Limits limitsOf(const Context& context);

/// What has a finding of its own; rows with the same title have one together.
enum class Per : std::uint8_t { Subject, Row, Rule };

/// How the rows of a rule become findings.
struct Form {
    const char* rule;
    /// Slots of titles: who, gpus, known; what, which is all that holds of the sickest; the value and limit
    /// of the row that counts most; and of each row with a figure a text of that name.
    const words::Template* title = nullptr; ///< null: what the row that counts most says
    Limit limit = Limit::Nothing;
    Per per = Per::Subject;
    bool cause = true;
    words::Text span = words::device_samples::sampled_part; ///< what the evidence shows; empty: what holds
    std::vector<std::string> settings = {};
    NotApplicable missing = NotApplicable{words::device_samples::needs_nvml};
};
[[nodiscard]] Outcome rowFindings(const Context& context, const Form& form);

/// Names where a GPU is: its rank, with the span as evidence, or itself where no rank is known.
void addPlace(const Context& context, const conditions::Subject& gpu, const model::Interval& span,
              words::Text what, Finding& finding);
[[nodiscard]] bool isAnyRead(const conditions::Subject& subject, std::span<const conditions::Condition> rows);

/// Returns what the rows say as one list.
[[nodiscard]] words::Text listOf(const std::vector<conditions::Judged>& rows,
                                 const words::Template& separator);
[[nodiscard]] Severity worstOf(const std::vector<conditions::Judged>& rows);

/// Returns the subject of a sentence: "the GPU of rank 3", "4 GPUs", "GPU 0000:17:00.0".
[[nodiscard]] words::Text gpusText(const Context& context,
                                   const std::vector<const conditions::Subject*>& gpus);

} // namespace ringside::rules
