// SPDX-License-Identifier: Apache-2.0
// Writes memory_bw_summary.csv: the total bandwidth of all copies of a kind that run at the same time,
// described over points of change.
#include "report/hta/figures.h"
#include "report/hta/numpy_order.h"
#include "report/hta/table.h"

#include <map>

namespace ringside::report::hta::hta_table_memory_bw_summary {
namespace {

std::string_view kindOf(std::string_view name)
{
    constexpr std::size_t kKind = std::string_view("Memcpy DtoH").size();
    return name.starts_with("Memset")   ? "Memset"
           : name.starts_with("Memcpy") ? name.substr(0, kKind)
                                        : "Memcpy Unknown";
}

struct Change {
    double ts = 0.0;
    double bandwidth = 0.0;
    std::string_view kind;
};

/// Returns points ordered by time. Copies of 0 us count as 1 us.
std::vector<Change> changesOf(const Frame& frame)
{
    std::vector<Change> changes;
    for (const bool ends : {false, true}) {
        for (const Event& event : frame.events) {
            if (event.isKernel() && frame.typeOf(event) == KernelType::Memory) {
                const double dur = event.dur == 0.0 ? 1.0 : event.dur;
                const std::string_view kind = kindOf(frame.names[event.name]);
                changes.push_back(ends ? Change{event.ts + dur, -event.bandwidth, kind}
                                       : Change{event.ts, event.bandwidth, kind});
            }
        }
    }
    sortAsNumpy(changes, [](const Change& change) { return change.ts; });
    return changes;
}

void write(const std::vector<Frame>& frames, const std::filesystem::path& folder)
{
    CsvFile file(folder / "memory_bw_summary.csv",
                 {"rank", "name", "memory_bw_gbps.count", "memory_bw_gbps.mean", "memory_bw_gbps.std",
                  "memory_bw_gbps.min", "memory_bw_gbps.25%", "memory_bw_gbps.50%", "memory_bw_gbps.75%",
                  "memory_bw_gbps.max"});
    for (const Frame& frame : frames) {
        std::map<std::string_view, std::vector<double>> running;
        std::map<std::string_view, double> sums;
        for (const Change& change : changesOf(frame)) {
            const double sum = sums[change.kind] += change.bandwidth;
            if (sum > 0.0) {
                running[change.kind].push_back(sum);
            }
        }
        for (const auto& [kind, points] : running) {
            file.whole(frame.rank).text(kind);
            writeDescription(file, describe(points), [](double value) { return value; });
            file.endRow();
        }
    }
    file.close();
}

} // namespace

RINGSIDE_HTA_TABLE(memory_bw_summary, write);

} // namespace ringside::report::hta::hta_table_memory_bw_summary
