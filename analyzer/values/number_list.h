// SPDX-License-Identifier: Apache-2.0
// A list of numbers as a short text, such as the ranks of a communicator: "0-6/2 9" is 0, 2, 4, 6 and 9.
// Keeps the order.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::values {

[[nodiscard]] std::string numberListText(std::span<const std::int64_t> numbers);

/// Parses such a text. Empty if it is none, or if the list has more than a million numbers.
[[nodiscard]] std::vector<std::int64_t> numbersOfList(std::string_view text);

} // namespace ringside::values
