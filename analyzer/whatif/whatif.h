// SPDX-License-Identifier: Apache-2.0
// Replays a run's step as recorded and with changes, and checks the replay first: fitted on one half of the
// steps, it must predict the other half.
#pragma once
#include "whatif/changes.h"

#include <optional>
#include <string>
#include <vector>

namespace ringside::whatif {

enum class Confidence : std::uint8_t { High, Medium, Low };
[[nodiscard]] std::string_view confidenceName(Confidence confidence);

struct Prediction {
    std::vector<std::string> changes;  ///< descriptions; empty: unchanged
    std::size_t steps = 0;             ///< number of steps that costs were fitted to
    double measuredNs = 0;             ///< mean step
    double replayedNs = 0;             ///< unchanged, with costs fitted to all steps
    std::optional<double> halfError;   ///< larger error of the two halves, each predicted from the other
    std::optional<double> predictedNs; ///< null: no change was given
    /// Between which times the predicted step lies: the replay's own error, and what costs that were not
    /// measured may be. Of no meaning without a change.
    CostBounds bounds;
    Confidence confidence = Confidence::High;
    std::vector<std::string> reasons;     ///< why the confidence is not high
    std::vector<std::string> assumptions; ///< of these changes
    std::vector<std::string> beyond;      ///< data that these changes need and the run does not hold
    std::vector<std::string> notKnown;    ///< what the model leaves out
    bool emulated = false;

    [[nodiscard]] double replayError() const { return replayedNs / measuredNs - 1; }
    /// Returns whether the error is too large for a replay.
    [[nodiscard]] bool unfit() const;
    [[nodiscard]] std::optional<double> savingNs() const;
    /// Returns the error per step: the larger of the errors of the unchanged replay and of one half of the
    /// steps.
    [[nodiscard]] double errorNs() const;
    /// Returns whether the saving or loss exceeds the replay's own error; false if no change was given.
    [[nodiscard]] bool isBeyondError() const;
};

/// Returns the mean step (ns) from end to end of the ranks' work: what predictions are to be held against.
/// Throws ringside::Error (Unusable) if the run cannot be replayed.
[[nodiscard]] double measuredStepNs(const model::Model& model);

/// Fits once and predicts several changes.
class WhatIf final {
public:
    /// Throws ringside::Error (Unusable) if the run cannot be replayed. The model must outlive it.
    explicit WhatIf(const model::Model& model);
    /// Throws the errors of `apply`.
    [[nodiscard]] Prediction predict(const Changes& changes) const;

private:
    void judge(const Changes& changes, Prediction& prediction) const;
    [[nodiscard]] Plan changedPlan(const Changes& changes, Assumptions& assumptions) const;
    [[nodiscard]] double stepNs(const Plan& plan) const;
    [[nodiscard]] double changedNs(const Changes& changes, Assumptions& assumptions) const;
    [[nodiscard]] double withheldNs() const;
    void bound(Prediction& prediction, const Plan& plan) const;
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
