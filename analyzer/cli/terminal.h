// SPDX-License-Identifier: Apache-2.0
// Capabilities of a terminal.
#pragma once
#include <cstddef>
#include <string_view>

namespace ringside::cli {

/// Returns whether `descriptor` is a terminal that obeys escape sequences, for example to clear a line.
[[nodiscard]] bool obeysEscapes(int descriptor);
/// Returns whether to write colours to `descriptor`. `when` is always, never, or auto: if it obeys escape
/// sequences and NO_COLOR is not set (https://no-color.org).
[[nodiscard]] bool showsColours(int descriptor, std::string_view when);

/// Returns the width of a line of prose on stdout in characters: COLUMNS, else the terminal's width, else 80;
/// limited to 20 to 100.
[[nodiscard]] std::size_t proseWidth();

} // namespace ringside::cli
