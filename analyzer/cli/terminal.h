// SPDX-License-Identifier: Apache-2.0
// What a terminal understands.
#pragma once

namespace ringside::cli {

/// Whether `descriptor` is a terminal that obeys escape sequences: to move its cursor, to clear a line.
[[nodiscard]] bool obeysEscapes(int descriptor);
/// The same, and nobody forbids colours: NO_COLOR (https://no-color.org).
[[nodiscard]] bool showsColours(int descriptor);

} // namespace ringside::cli
