// SPDX-License-Identifier: Apache-2.0
// Writes kernel_breakdown_*.csv: durations by kernel name, type and rank. In the files with the ten largest
// names, the other names are summed as "others". The figures of "others" and of all names are over sums by
// name, a deviation of HTA.
#include "report/hta/figures.h"
#include "report/hta/numpy_order.h"
#include "report/hta/table.h"
#include "values/quantile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

namespace ringside::report::hta::hta_table_kernel_breakdown {
namespace {

struct Row {
    std::string_view name;
    std::string_view type;
    std::int64_t rank = 0;
    Description figures;
};

std::vector<Row> describeNames(const std::map<std::string_view, std::vector<double>>& durations)
{
    std::vector<Row> rows;
    for (const auto& [name, values] : durations) {
        rows.push_back({name, {}, 0, describe(values)});
        rows.back().figures.deviation = groupedDeviation(values);
    }
    return rows;
}

/// Descending order is the reverse of ascending order of the reversed values.
void sortDownAsPandas(std::vector<Row>& rows)
{
    std::ranges::reverse(rows);
    sortAsNumpy(rows, [](const Row& row) { return row.figures.sum; });
    std::ranges::reverse(rows);
}

/// Combines into "others" the names beyond the 80th percentile of the running sums, and those beyond the
/// first `most`. Names with a negative sum, which rounding can cause, are not combined, because HTA assumes
/// there are none.
std::vector<Row> withOthers(std::vector<Row> rows, std::size_t most)
{
    constexpr double kShare = 0.8;
    if (rows.size() <= most) {
        return rows;
    }
    sortDownAsPandas(rows);
    std::vector<double> running;
    double sum = 0.0;
    for (const Row& row : rows) {
        running.push_back(sum += row.figures.sum);
    }
    std::vector<double> sorted = running;
    std::ranges::sort(sorted);
    const double limit = values::interpolatedQuantile(sorted, kShare);
    std::map<std::string_view, std::vector<double>> sums;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const bool isOther = rows[i].figures.sum >= 0 && (running[i] > limit || i >= most);
        sums[isOther ? "others" : rows[i].name].push_back(rows[i].figures.sum);
    }
    return describeNames(sums);
}

void writeRows(const std::vector<Row>& rows, const std::filesystem::path& path)
{
    CsvFile file(
        path, {"", "name", "sum (us)", "max (us)", "min (us)", "stddev", "mean (us)", "kernel_type", "rank"});
    std::int64_t index = 0;
    for (const Row& row : rows) {
        const Description& figures = row.figures;
        file.whole(index++).text(row.name).number(figures.sum).number(figures.most).number(figures.least);
        file.number(std::isnan(figures.deviation) ? 0.0 : figures.deviation).number(figures.mean);
        file.text(row.type).whole(row.rank).endRow();
    }
    file.close();
}

/// In the order of names, like the rows.
constexpr std::array kTypes{KernelType::Communication, KernelType::Computation, KernelType::Memory};

void writeBreakdown(const std::vector<Frame>& frames, const std::filesystem::path& path, std::size_t most,
                    bool copies)
{
    std::vector<Row> all;
    for (const KernelType type : kTypes) {
        if (type == KernelType::Memory && !copies) {
            continue;
        }
        const auto first = static_cast<std::ptrdiff_t>(all.size());
        for (const Frame& frame : frames) {
            std::map<std::string_view, std::vector<double>> durations;
            for (const Event& event : frame.events) {
                if (event.isKernel() && frame.typeOf(event) == type) {
                    durations[frame.names[event.name]].push_back(event.dur);
                }
            }
            for (Row& row : withOthers(describeNames(durations), most)) {
                row.type = nameOf(type);
                row.rank = frame.rank;
                all.push_back(row);
            }
        }
        std::stable_sort(all.begin() + first, all.end(),
                         [](const Row& a, const Row& b) { return a.name < b.name; });
    }
    writeRows(all, path);
}

void write(const std::vector<Frame>& frames, const std::filesystem::path& folder)
{
    constexpr std::size_t kMost = 10;
    writeBreakdown(frames, folder / "kernel_breakdown_top10_mem0.csv", kMost, false);
    writeBreakdown(frames, folder / "kernel_breakdown_top10_mem1.csv", kMost, true);
    writeBreakdown(frames, folder / "kernel_breakdown_all.csv", std::numeric_limits<std::size_t>::max(),
                   true);
}

} // namespace

RINGSIDE_HTA_TABLE(kernel_breakdown, write);

} // namespace ringside::report::hta::hta_table_kernel_breakdown
