// SPDX-License-Identifier: Apache-2.0
// The types of numbers in which GPUs compute, and for which they have different peaks.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ringside::flops {

enum class Precision : std::uint8_t { Fp64, Fp32, Tf32, Fp16, Bf16, Fp8, Int8, Count };
inline constexpr std::size_t kPrecisions = static_cast<std::size_t>(Precision::Count);
inline constexpr std::array<std::string_view, kPrecisions> kPrecisionNames{"fp64", "fp32", "tf32", "fp16",
                                                                           "bf16", "fp8",  "int8"};

[[nodiscard]] constexpr std::string_view nameOf(Precision precision)
{
    return kPrecisionNames[static_cast<std::size_t>(precision)];
}

/// Returns the precision of a name such as "bf16"; null if there is none.
[[nodiscard]] constexpr std::optional<Precision> precisionOf(std::string_view name)
{
    for (std::size_t i = 0; i < kPrecisions; ++i) {
        if (kPrecisionNames[i] == name) {
            return static_cast<Precision>(i);
        }
    }
    return std::nullopt;
}

} // namespace ringside::flops
