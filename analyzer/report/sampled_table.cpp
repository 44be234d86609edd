// SPDX-License-Identifier: Apache-2.0
#include "report/sampled_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::report {
namespace {

constexpr int kDigits = 4;
constexpr std::size_t kFigures = 4; ///< columns: least, median, most, last

} // namespace

std::string lineName(const model::Model& model, const metrics::SampledLine& line)
{
    return line.rank ? fmt::format("rank {}, {}", model.ranks[*line.rank].rank, line.entity)
                     : fmt::format("{} {}", line.host, line.entity);
}

document::Table sampledTable(const model::Model& model, const metrics::SampledMetric& metric)
{
    const std::string unit = metric.unit.empty() ? "" : ", " + metric.unit;
    document::Table table{
        {"of", "values", "least" + unit, "median" + unit, "most" + unit, "last" + unit, "not measured"}, {}};
    for (const metrics::SampledLine& line : metric.lines) {
        std::vector<double> numbers;
        for (const metrics::LinePoint& point : line.points) {
            if (point.value) {
                numbers.push_back(*point.value);
            }
        }
        const auto number = [](double value) {
            return document::Cell(value, values::Unit::Count,
                                  {.kind = document::NumberStyle::Kind::Significant, .digits = kDigits});
        };
        std::vector<document::Cell>& row = table.rows.emplace_back();
        row = {lineName(model, line), numbers.size()};
        if (numbers.empty()) {
            row.resize(kFigures + row.size());
            row.emplace_back(line.missing.empty() ? "no value" : line.missing);
            continue;
        }
        const auto [least, most] = std::ranges::minmax_element(numbers);
        row.insert(row.end(), {number(*least), number(model::median(numbers)), number(*most),
                               number(numbers.back()), line.missing});
    }
    return table;
}

} // namespace ringside::report
