// SPDX-License-Identifier: Apache-2.0
// Writes kernel_type_breakdown_mem{0,1}.csv: time of all ranks by the types of kernels that ran at the same
// time, without and with copies.
#include "report/hta/figures.h"
#include "report/hta/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace ringside::report::hta::hta_table_kernel_type_breakdown {
namespace {

/// The index of a type here is its bit in the set of running types.
constexpr std::array kTypes{KernelType::Computation, KernelType::Communication, KernelType::Memory};

std::string stateName(int running, std::size_t types)
{
    std::string name;
    for (std::size_t i = 0; i < types; ++i) {
        if ((running >> i & 1) != 0) {
            name += name.empty() ? "" : " overlapping ";
            name += nameOf(kTypes[i]);
        }
    }
    return name;
}

using Sums = std::map<std::string, std::int64_t>;

/// HTA cuts every part to whole us, which matters for durations with fractions.
void addRank(const Frame& frame, std::size_t types, Sums& sums)
{
    std::vector<Edge> edges;
    for (std::size_t i = 0; i < types; ++i) {
        addEdges(edges,
                 mergedKernels(frame, [&](const Event& event) { return frame.typeOf(event) == kTypes[i]; }),
                 1 << i);
    }
    int running = 0;
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
        running += edges[i].value;
        if (running > 0) {
            sums[stateName(running, types)] +=
                static_cast<std::int64_t>(std::trunc(edges[i + 1].time - edges[i].time));
        }
    }
}

void writeTypes(const std::vector<Frame>& frames, const std::filesystem::path& path, std::size_t types)
{
    Sums sums;
    std::int64_t total = 0;
    for (const Frame& frame : frames) {
        addRank(frame, types, sums);
    }
    std::vector<std::pair<std::string, std::int64_t>> rows(sums.begin(), sums.end());
    std::ranges::stable_sort(rows, std::ranges::greater(), [](const auto& row) { return row.second; });
    std::ranges::for_each(rows, [&](const auto& row) { total += row.second; });
    CsvFile file(path, {"", "kernel_type", "sum", "percentage"});
    std::int64_t index = 0;
    for (const auto& [name, sum] : rows) {
        const double share = static_cast<double>(sum) / static_cast<double>(total);
        file.whole(index++).text(name).whole(sum).number(rounded(share * 100, 1)).endRow();
    }
    file.close();
}

void write(const std::vector<Frame>& frames, const std::filesystem::path& folder)
{
    for (const std::size_t copies : {0U, 1U}) {
        writeTypes(frames, folder / fmt::format("kernel_type_breakdown_mem{}.csv", copies), 2 + copies);
    }
}

} // namespace

RINGSIDE_HTA_TABLE(kernel_type_breakdown, write);

} // namespace ringside::report::hta::hta_table_kernel_type_breakdown
