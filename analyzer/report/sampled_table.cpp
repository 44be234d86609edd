// SPDX-License-Identifier: Apache-2.0
#include "report/sampled_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::report {

std::string lineName(const model::Model& model, const metrics::SampledLine& line)
{
    return line.rank ? fmt::format("rank {}, {}", model.ranks[*line.rank].rank, line.entity)
                     : fmt::format("{} {}", line.host, line.entity);
}

Table sampledTable(const model::Model& model, const metrics::SampledMetric& metric)
{
    const std::string unit = metric.unit.empty() ? "" : ", " + metric.unit;
    Table table{
        {"of", "values", "least" + unit, "median" + unit, "most" + unit, "last" + unit, "not measured"}, {}};
    for (const metrics::SampledLine& line : metric.lines) {
        std::vector<double> values;
        for (const metrics::LinePoint& point : line.points) {
            if (point.value) {
                values.push_back(*point.value);
            }
        }
        std::vector<std::string>& row = table.rows.emplace_back();
        row = {lineName(model, line), fmt::to_string(values.size())};
        if (values.empty()) {
            row.insert(row.end(), {"-", "-", "-", "-", line.missing.empty() ? "no value" : line.missing});
            continue;
        }
        const auto text = [](double value) { return fmt::format("{:.4g}", value); };
        row.insert(row.end(), {text(*std::ranges::min_element(values)), text(model::median(values)),
                               text(*std::ranges::max_element(values)), text(values.back()), line.missing});
    }
    return table;
}

} // namespace ringside::report
