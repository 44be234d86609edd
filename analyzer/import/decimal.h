// SPDX-License-Identifier: Apache-2.0
// Numbers of a trace from their text, without floating point: a double holds 53 bits, epoch times in ns take
// 61.
#pragma once
#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ringside::importers {

/// Microseconds ("4458676416788.066", "17e5") as ns, digits below a ns cut off. Null: no number, or none that
/// 63 bits hold (NaN, 1e300).
[[nodiscard]] std::optional<std::int64_t> parseMicroseconds(std::string_view text);

} // namespace ringside::importers
