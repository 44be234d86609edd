// SPDX-License-Identifier: GPL-3.0-or-later
// `--export`: what the program shows, in a file, without a display.
#pragma once
#include <QString>

namespace ringside::gui {

/// Writes a page (.html) or a picture of the window (.png), with that view in front (its id; empty: as at
/// first). Returns the exit code; talks on stderr.
[[nodiscard]] int exportRun(const QString& run, const QString& file, const QString& view);

} // namespace ringside::gui
