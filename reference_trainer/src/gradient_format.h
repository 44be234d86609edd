// SPDX-License-Identifier: Apache-2.0
// How gradients travel between ranks, as --gradients says it.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace ringside::trainer {

struct GradientFormat {
    enum class Kind {
        AllReduce, ///< all of them are summed on the way, as the type
        TopK       ///< of each bucket only the largest, in single precision, each with its place
    };
    Kind kind = Kind::AllReduce;
    std::string type = "fp32"; ///< or "fp16", "bf16"
    double share = 1;          ///< of a bucket's gradients that travel, above 0
};

/// "fp32", "fp16", "bf16" or "topk:SHARE" with a SHARE above 0 and up to 1; nothing for anything else.
[[nodiscard]] std::optional<GradientFormat> readGradientFormat(std::string_view text);

} // namespace ringside::trainer
