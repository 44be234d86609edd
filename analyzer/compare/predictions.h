// SPDX-License-Identifier: Apache-2.0
// Holds what `ringside whatif` predicted of the base run against what the new run measured.
#pragma once
#include "model/model.h"

#include <filesystem>
#include <string>
#include <vector>

namespace ringside::compare {

/// All times are of a step, from end to end of the ranks' work, as `ringside whatif` measures it.
struct HeldPrediction {
    std::vector<std::string> changes;
    double measuredNs = 0;  ///< of the base
    double predictedNs = 0; ///< of the base with the changes
    double leastNs = 0;     ///< the predicted step lies between these, the replay says
    double mostNs = 0;
    double realNs = 0; ///< of the new run

    [[nodiscard]] double error() const { return predictedNs / realNs - 1; } ///< share of the real step
    [[nodiscard]] bool isWithinBounds() const { return leastNs <= realNs && realNs <= mostNs; }
    [[nodiscard]] std::string sentence() const;
};

/// Reads the output of `ringside whatif BASE ... --format json`. Throws ringside::Error: if the file is none
/// (Unusable), predicts no change or is of another run than `base` (Usage), or if the new run has no step
/// that can be measured so.
[[nodiscard]] HeldPrediction holdPrediction(const std::filesystem::path& file, const model::Model& base,
                                            const model::Model& now);

} // namespace ringside::compare
