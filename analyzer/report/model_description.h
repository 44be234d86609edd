// SPDX-License-Identifier: Apache-2.0
// What a user says of the model that a job trains, for runs in which no shapes were recorded.
#pragma once
#include "flops/precision.h"

#include <string_view>

namespace ringside::report {

struct ModelDescription {
    double parameters = 0; ///< that each token passes: of experts, only those that it is sent to
    double tokens = 0;     ///< of a step, over all ranks
    double layers = 0;     ///< this and the next two are 0 if attention is not counted
    double hidden = 0;     ///< heads times the size of a head
    double sequence = 0;   ///< tokens that attend to each other
    flops::Precision precision = flops::Precision::Bf16; ///< of the matrix products

    /// FLOPs of a training step over all ranks: for each token 6 a parameter, and 12 x layers x hidden x
    /// sequence for attention (Chowdhery et al., PaLM, 2022, appendix B).
    [[nodiscard]] double flopsOfAStep() const;
};

/// Reads "parameters=7B,tokens=4M,layers=32,hidden=4096,sequence=4096,type=bf16". Numbers may end in K, M, B
/// (or G) or T, powers of 1000. Throws ringside::Error (Usage).
[[nodiscard]] ModelDescription parseModelDescription(std::string_view text);

} // namespace ringside::report
