// SPDX-License-Identifier: Apache-2.0
// What a terminal understands.
#pragma once
#include <cstddef>

namespace ringside::cli {

/// Whether `descriptor` is a terminal that obeys escape sequences: to move its cursor, to clear a line.
[[nodiscard]] bool obeysEscapes(int descriptor);
/// The same, and nobody forbids colours: NO_COLOR (https://no-color.org).
[[nodiscard]] bool showsColours(int descriptor);

/// Characters of a line of prose on stdout: as COLUMNS says, else as wide as the terminal, else 80; 20 to
/// 100.
[[nodiscard]] std::size_t proseWidth();

} // namespace ringside::cli
