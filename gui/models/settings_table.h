// SPDX-License-Identifier: GPL-3.0-or-later
// Table of the settings that a run recorded: one row for each name; settings that differ between ranks come
// first.
#pragma once
#include "report/table.h"

namespace ringside::gui {

[[nodiscard]] report::Table settingsTable(const model::Model& model);

} // namespace ringside::gui
