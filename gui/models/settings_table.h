// SPDX-License-Identifier: GPL-3.0-or-later
// Table of the settings that a run recorded: one row for each name; settings that differ between ranks come
// first.
#pragma once
#include "document/table.h"

namespace ringside::gui {

[[nodiscard]] document::Table settingsTable(const model::Model& model);

} // namespace ringside::gui
