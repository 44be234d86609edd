// SPDX-License-Identifier: Apache-2.0
#include "trace/read/step_summaries.h"

#include "trace/read/plausible.h"
#include "trace/read/trace_file.h"
#include "trace/write/schema.h"

#include <type_traits>

namespace ringside::trace {

std::map<std::int64_t, std::vector<StepSummaryRow>> readStepSummaries(const std::filesystem::path& path)
{
    using Table = TableOf<StepSummaryRow>;
    std::map<std::int64_t, std::vector<StepSummaryRow>> result;
    const TraceFile file(path);
    if (!file.hasTable(Table::kName)) {
        return result;
    }
    const std::string columns =
        file.columnsOf(Table::kName, columnNames<StepSummaryRow>(), optionalColumns<StepSummaryRow>());
    Statement statement(file.database(), "SELECT process_id, " + columns + " FROM " + Table::kName +
                                             " ORDER BY " + Table::kOrder);
    while (statement.step()) {
        StepSummaryRow row;
        int index = 1;
        bool plausible = true;
        Table::forEachColumn([&](const char* column, auto member) {
            row.*member = statement.column<std::remove_cvref_t<decltype(row.*member)>>(index++);
            plausible = plausible && isPlausible(column, row.*member);
        });
        if (plausible) {
            result[statement.column<std::int64_t>(0)].push_back(std::move(row));
        }
    }
    return result;
}

} // namespace ringside::trace
