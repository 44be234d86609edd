// SPDX-License-Identifier: Apache-2.0
// What a report says of FLOPs: a line, a table and an object of JSON.
#pragma once
#include "document/table.h"
#include "report/json_figures.h"
#include "report/report.h"

#include <optional>
#include <string>

namespace ringside::report {

/// Returns "Model FLOPs: MFU 38.2 % ..."; null if the shapes of no operator were recorded.
[[nodiscard]] std::optional<std::string> flopsLine(const Report& report);
/// By kind of operator and precision; no rows if the shapes of no operator were recorded.
[[nodiscard]] document::Table flopsTable(const Report& report);
/// What the user's description of the model says of MFU; null if there is none.
[[nodiscard]] std::optional<std::string> describedLine(const Report& report);
[[nodiscard]] Json describedJson(const Report& report); ///< null if the model was not described
[[nodiscard]] Json flopsJson(const Report& report);     ///< null if the shapes of no operator were recorded

} // namespace ringside::report
