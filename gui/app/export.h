// SPDX-License-Identifier: GPL-3.0-or-later
// `--export`: what the program shows, in a file, without a display.
#pragma once
#include <QString>

namespace ringside::gui {

/// Writes a page (.html) or a picture of the window (.png). `view` is the id of the view in front; empty: the
/// default view. Returns the exit code of the program and prints errors to stderr.
[[nodiscard]] int exportRun(const QString& run, const QString& file, const QString& view);

} // namespace ringside::gui
