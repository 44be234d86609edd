// SPDX-License-Identifier: Apache-2.0
#include "report/dropped_records.h"

#include "model/time.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::report {
namespace {

std::string whose(const trace::ProcessTrace& process, const trace::DropRow& row)
{
    if (row.thread == 0) {
        return fmt::format("{} {}", row.records, row.what);
    }
    const auto thread = std::ranges::find(process.threads, row.thread, &trace::ThreadRow::id);
    const std::string name = thread != process.threads.end()
                                 ? fmt::format("{} (tid {})", thread->name, thread->tid)
                                 : fmt::format("{}", row.thread);
    return fmt::format("{} {} of thread {}", row.records, row.what, name);
}

} // namespace

std::optional<trace::IssueRow> describeDrops(const trace::ProcessTrace& process)
{
    constexpr std::size_t kMostNamed = 5;
    std::vector<trace::DropRow> rows = process.drops;
    std::erase_if(rows, [](const trace::DropRow& row) { return row.records <= 0; });
    if (rows.empty()) {
        return std::nullopt;
    }
    std::ranges::stable_sort(rows, std::greater<>{}, &trace::DropRow::records);
    std::int64_t total = 0;
    std::string parts;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        total = model::addCapped(total, rows[i].records);
        if (i < kMostNamed) {
            parts += (parts.empty() ? "" : ", ") + whose(process, rows[i]);
        }
    }
    if (rows.size() > kMostNamed) {
        parts += fmt::format(" and {} more", rows.size() - kMostNamed);
    }
    return trace::IssueRow{trace::Issue::DroppedRecords, total,
                           fmt::format("{} on {} lost records because rings were full: {}; "
                                       "RINGSIDE_RING_BYTES sets a larger ring for each thread",
                                       process.process.pid, process.process.host, parts)};
}

} // namespace ringside::report
