// SPDX-License-Identifier: Apache-2.0
#include "gradient_format.h"

#include <charconv>

namespace ringside::trainer {

std::optional<GradientFormat> readGradientFormat(std::string_view text)
{
    if (text == "fp32" || text == "fp16" || text == "bf16")
        return GradientFormat{.type = std::string(text)};
    constexpr std::string_view kTopK = "topk:";
    if (!text.starts_with(kTopK))
        return std::nullopt;
    text.remove_prefix(kTopK.size());
    double share = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), share);
    // Written so that a NaN is rejected.
    if (error != std::errc() || end != text.data() + text.size() || !(share > 0 && share <= 1))
        return std::nullopt;
    return GradientFormat{.kind = GradientFormat::Kind::TopK, .share = share};
}

} // namespace ringside::trainer
