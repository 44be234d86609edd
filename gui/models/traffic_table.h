// SPDX-License-Identifier: GPL-3.0-or-later
// Table of the traffic between ranks: one row for each sender, one column for each receiver.
#pragma once
#include "document/table.h"
#include "metrics/messages.h"

#include <QString>

namespace ringside::gui {

/// Returns the table. Of many ranks it holds the first ones; the last header gives the number left out.
[[nodiscard]] document::Table trafficTable(const metrics::Traffic& traffic);
/// Returns a title that names the unit and the source of the cells.
[[nodiscard]] QString trafficTitle(const metrics::Traffic& traffic);

} // namespace ringside::gui
