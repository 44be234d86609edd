// SPDX-License-Identifier: GPL-3.0-or-later
// Marks outlive the program: they are kept in its settings, by where a run lies. Runs are never written to.
#pragma once
#include "session.h"
#include "timeline/marks.h"

namespace ringside::gui {

/// Those within `extent`: settings may be anybody's, or of another run that lay there.
[[nodiscard]] Marks storedMarks(const Paths& run, const model::Interval& extent);
void storeMarks(const Paths& run, const Marks& marks);

} // namespace ringside::gui
