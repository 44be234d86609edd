// SPDX-License-Identifier: Apache-2.0
// What a terminal understands.
#pragma once
#include <cstddef>
#include <string_view>

namespace ringside::cli {

/// Whether `descriptor` is a terminal that obeys escape sequences: to move its cursor, to clear a line.
[[nodiscard]] bool obeysEscapes(int descriptor);
/// Whether colours go to `descriptor`. `when` is always, never, or auto: where it obeys escape sequences and
/// nobody forbids colours, as NO_COLOR does (https://no-color.org).
[[nodiscard]] bool showsColours(int descriptor, std::string_view when);

/// Characters of a line of prose on stdout: as COLUMNS says, else as wide as the terminal, else 80; 20 to
/// 100.
[[nodiscard]] std::size_t proseWidth();

} // namespace ringside::cli
