// SPDX-License-Identifier: Apache-2.0
// The question "what if": a run's step replayed as it was and with changes. Says first how well the replay
// tells what was measured: fitted on one half of the steps, it must predict the other.
#pragma once
#include "whatif/changes.h"

#include <optional>
#include <string>
#include <vector>

namespace ringside::whatif {

enum class Confidence : std::uint8_t { High, Medium, Low };
[[nodiscard]] std::string_view confidenceName(Confidence confidence);

struct Prediction {
    std::vector<std::string> changes;  ///< in words; empty: unchanged
    std::size_t steps = 0;             ///< that costs were fitted to
    double measuredNs = 0;             ///< mean step
    double replayedNs = 0;             ///< unchanged, costs fitted to all steps
    std::optional<double> halfError;   ///< larger error of the two halves, each predicted from the other
    std::optional<double> predictedNs; ///< null: nothing was changed
    Confidence confidence = Confidence::High;
    std::vector<std::string> reasons;     ///< why the confidence is not high
    std::vector<std::string> assumptions; ///< of these changes
    std::vector<std::string> beyond;      ///< what these changes need and the run does not tell
    std::vector<std::string> notKnown;    ///< what the model leaves out
    bool emulated = false;

    [[nodiscard]] double replayError() const { return replayedNs / measuredNs - 1; }
    /// Off by more than a replay may be.
    [[nodiscard]] bool unfit() const;
    [[nodiscard]] std::optional<double> savingNs() const;
    /// Of a step: the larger of what the unchanged replay, and one half of the steps, miss.
    [[nodiscard]] double errorNs() const;
    /// Whether the saving, or loss, is larger than the replay's own error; false where nothing was changed.
    [[nodiscard]] bool isBeyondError() const;
};

/// Fits once and answers several questions.
class WhatIf final {
public:
    /// Throws ringside::Error (Unusable) where the run cannot be replayed. The model must outlive it.
    explicit WhatIf(const model::Model& model);
    /// Throws as `apply` does.
    [[nodiscard]] Prediction predict(const Changes& changes) const;

private:
    void judge(Prediction& prediction) const;
    [[nodiscard]] double changedNs(const Changes& changes, Assumptions& assumptions) const;
    void refuseWorseBatches(const Changes& changes, const Prediction& prediction) const;

    const model::Model& m_model;
    Program m_program;
    Plan m_plan;
    double m_measuredNs = 0;
    double m_replayedNs = 0;
    std::optional<double> m_halfError;
};

[[nodiscard]] std::string renderText(const Prediction& prediction);
[[nodiscard]] std::string renderJson(const Prediction& prediction);

} // namespace ringside::whatif
