// SPDX-License-Identifier: Apache-2.0
// Parses decimal numbers of a trace without floating point: a double holds 53 bits, an epoch time in ns needs
// 61.
#pragma once
#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ringside::importers {

/// Parses microseconds such as "4458676416788.066" or "17e5" and returns ns. Digits below a ns are cut off.
/// Null if the text is no number, or the result does not fit into 63 bits (NaN, 1e300).
[[nodiscard]] std::optional<std::int64_t> parseMicroseconds(std::string_view text);

} // namespace ringside::importers
