// SPDX-License-Identifier: GPL-3.0-or-later
// Stores marks in the settings of the program, by the path of the run. Runs are never written to.
#pragma once
#include "session.h"
#include "timeline/marks.h"

namespace ringside::gui {

/// Returns the stored marks within `extent`. Others are dropped: they may be damaged or belong to an earlier
/// run at this path.
[[nodiscard]] Marks storedMarks(const Paths& run, const model::Interval& extent);
void storeMarks(const Paths& run, const Marks& marks);

} // namespace ringside::gui
