// SPDX-License-Identifier: Apache-2.0
// Pieces of a text: words, and what stands around a mark. All of them are bounds-checked views.
#pragma once
#include <string_view>
#include <utility>

namespace ringside::values {

/// Removes the next word, which ends at a blank; empty if none is left.
[[nodiscard]] std::string_view takeWord(std::string_view& text);

/// Returns what stands before the first `mark`, and after it; nothing after it if it is absent.
[[nodiscard]] std::pair<std::string_view, std::string_view> partedBy(std::string_view text,
                                                                     std::string_view mark);
/// Returns what stands between the first `open` and the next `close`; empty if one is absent.
[[nodiscard]] std::string_view between(std::string_view text, std::string_view open, std::string_view close);
[[nodiscard]] bool holds(std::string_view text, std::string_view part);

} // namespace ringside::values
