// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps the marks of a run beside it, in ringside-marks.json in its folder, so that everybody who opens the
// run sees them. If that cannot be written, or the run is no folder, they are kept in the user's settings.
#pragma once
#include "session.h"
#include "timeline/marks.h"

namespace ringside::gui {

/// Returns the marks that lie within `extent`.
[[nodiscard]] Marks storedMarks(const Paths& run, const model::Interval& extent);
void storeMarks(const Paths& run, const Marks& marks);

} // namespace ringside::gui
