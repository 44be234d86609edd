// SPDX-License-Identifier: GPL-3.0-or-later
// `--export`: what the program shows, in a file, without a display.
#pragma once
#include "model/model.h"

#include <QString>

#include <optional>

namespace ringside::gui {

/// A part of the timeline, and a rank that is marked there.
struct ShownPlace {
    model::Interval time;
    std::optional<std::int64_t> rank;
};

/// Writes a page (.html) or a picture of the window (.png). `view` is the id of the view in front; empty: the
/// default view. `place`: what the timeline of a picture shows; null: the whole run. Returns the exit code of
/// the program and prints errors to stderr.
[[nodiscard]] int exportRun(const QString& run, const QString& file, const QString& view,
                            const std::optional<ShownPlace>& place);

} // namespace ringside::gui
