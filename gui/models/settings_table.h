// SPDX-License-Identifier: GPL-3.0-or-later
// The settings that a run recorded: one row a name, those first in which ranks differ.
#pragma once
#include "report/table.h"

namespace ringside::gui {

[[nodiscard]] report::Table settingsTable(const model::Model& model);

} // namespace ringside::gui
