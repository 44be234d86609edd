// SPDX-License-Identifier: Apache-2.0
// The format in which gradients are sent between ranks, as given by --gradients.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace ringside::trainer {

struct GradientFormat {
    enum class Kind {
        AllReduce, ///< all gradients are reduced in this type
        TopK       ///< only the largest of each bucket are sent, in single precision with their indices
    };
    Kind kind = Kind::AllReduce;
    std::string type = "fp32"; ///< or "fp16", "bf16"
    double share = 1;          ///< share of a bucket's gradients that is sent, above 0
};

/// Parses "fp32", "fp16", "bf16" or "topk:SHARE" with a SHARE above 0 and up to 1. Returns nothing for other
/// texts.
[[nodiscard]] std::optional<GradientFormat> readGradientFormat(std::string_view text);

} // namespace ringside::trainer
