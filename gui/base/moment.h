// SPDX-License-Identifier: GPL-3.0-or-later
// A place in a run as words for a command line: `--at 1.25s --for 20ms --rank 3`.
#pragma once
#include "session.h"

#include <QString>

#include <optional>
#include <vector>

namespace ringside::gui {

/// Returns the command that opens the run at this place.
[[nodiscard]] QString linkTo(const Paths& run, const model::Interval& time,
                             const std::optional<std::int64_t>& rank);

} // namespace ringside::gui
