// SPDX-License-Identifier: GPL-3.0-or-later
// Sender x receiver: a row a rank that sends, a column a rank that receives.
#pragma once
#include "metrics/messages.h"
#include "report/table.h"

#include <QString>

namespace ringside::gui {

/// Of many ranks the first ones; the last header says how many are left.
[[nodiscard]] report::Table trafficTable(const metrics::Traffic& traffic);
/// What the cells are, and where they come from.
[[nodiscard]] QString trafficTitle(const metrics::Traffic& traffic);

} // namespace ringside::gui
