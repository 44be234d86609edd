// SPDX-License-Identifier: GPL-3.0-or-later
// `--export`: what the program shows, in a file, without a display.
#pragma once
#include <QString>

namespace ringside::gui {

/// Writes a page (.html) or a picture of the window (.png). Returns the exit code; talks on stderr.
[[nodiscard]] int exportRun(const QString& run, const QString& file);

} // namespace ringside::gui
