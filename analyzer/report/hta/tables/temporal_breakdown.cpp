// SPDX-License-Identifier: Apache-2.0
// Writes temporal_breakdown.csv: the time from the first kernel to the last, divided into idle, computing,
// and busy without computing. Communication that overlaps with computation counts as computation.
#include "report/hta/figures.h"
#include "report/hta/table.h"

#include <limits>

namespace ringside::report::hta::hta_table_temporal_breakdown {
namespace {

struct Breakdown {
    double total = std::numeric_limits<double>::quiet_NaN(); ///< NaN for a rank without kernels
    double idle = total, compute = total, other = total;
};

Breakdown breakdownOf(const Frame& frame)
{
    const std::vector<Span> busy = mergedKernels(frame, [](const Event&) { return true; });
    Breakdown parts;
    if (!busy.empty()) {
        parts.total = busy.back().end - busy.front().ts;
        parts.idle = parts.total - lengthOf(busy);
        parts.compute = lengthOf(mergedKernels(
            frame, [&](const Event& event) { return frame.typeOf(event) == KernelType::Computation; }));
        parts.other = parts.total - parts.compute - parts.idle;
    }
    return parts;
}

void write(const std::vector<Frame>& frames, const std::filesystem::path& folder)
{
    CsvFile file(folder / "temporal_breakdown.csv",
                 {"", "rank", "idle_time(us)", "compute_time(us)", "non_compute_time(us)", "kernel_time(us)",
                  "idle_time_pctg", "compute_time_pctg", "non_compute_time_pctg"});
    std::int64_t index = 0;
    for (const Frame& frame : frames) {
        const Breakdown parts = breakdownOf(frame);
        file.whole(index++).whole(frame.rank);
        for (const double part : {parts.idle, parts.compute, parts.other, parts.total}) {
            file.number(part);
        }
        for (const double part : {parts.idle, parts.compute, parts.other}) {
            file.number(rounded(100 * (part / parts.total), 2));
        }
        file.endRow();
    }
    file.close();
}

} // namespace

RINGSIDE_HTA_TABLE(temporal_breakdown, write);

} // namespace ringside::report::hta::hta_table_temporal_breakdown
