// SPDX-License-Identifier: Apache-2.0
#include "timeline/sample_lines.h"

#include "metrics/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

namespace ringside::timeline {
namespace {

using metrics::SampleValue;

enum class Whose : std::uint8_t { Device, Process, Host };

struct Shown {
    Whose whose;
    trace::SeriesSource source;
    trace::SeriesMetric metric;
    std::string_view name, unit;
    double factor;
};

const Shown kShown[] = {
#define RINGSIDE_SAMPLE_LINE(whose, source, metric, name, unit, factor)                                      \
    {Whose::whose, source, metric, name, unit, factor},
#include "timeline/sample_lines.def"
};

struct Series {
    trace::SeriesKindName kind;
    std::vector<SampleValue> values; ///< in run time
    std::int64_t endNs = 0;          ///< of the recording, in run time
};

class LineBuilder final {
public:
    explicit LineBuilder(const model::Model& model) : m_model(model) {}

    std::vector<SampleLine> build()
    {
        for (std::size_t rank = 0; rank < m_model.ranks.size(); ++rank) {
            addRank(rank);
        }
        for (auto& [key, series] : m_hosts) {
            const auto& [host, shown, entity] = key;
            // they come from several processes
            std::ranges::stable_sort(series.values, {}, &SampleValue::timeNs);
            const bool machine = entity == kShown[shown].source.text();
            add(kShown[shown], series,
                {std::nullopt, host, machine ? std::string() : entity + " ", {}, {}, 0});
        }
        return std::move(m_lines);
    }

private:
    using HostKey = std::tuple<std::size_t, std::size_t, std::string>; ///< host, index in kShown, entity
    /// CPU time of the collector's threads is not work of the job
    static constexpr std::string_view kRecorder = "recording threads";

    void addRank(std::size_t number)
    {
        const model::Rank& rank = m_model.ranks[number];
        const trace::ProcessTrace& process = m_model.processOf(rank);
        std::map<std::int64_t, Series> all;
        const trace::SampleColumns& samples = process.samples;
        for (std::size_t i = 0; i < samples.size(); ++i) {
            all[samples.series[i]].values.push_back({rank.clock.toRun(samples.timeNs[i]), samples.value[i]});
        }
        const bool firstOfProcess = m_processes.insert(rank.process).second;
        const std::string gpu = metrics::gpuName(m_model, rank);
        for (std::size_t shown = 0; shown < std::size(kShown); ++shown) {
            for (const trace::SeriesRow& row : process.series) {
                if (row.source != kShown[shown].source || row.metric != kShown[shown].metric) {
                    continue;
                }
                Series& series = all[row.id];
                series.kind = row.kind;
                series.endNs = rank.clock.toRun(process.process.endNs.value_or(process.process.startNs));
                const Whose whose = kShown[shown].whose;
                if (whose == Whose::Host && firstOfProcess) {
                    Series& host = m_hosts[{rank.host, shown, row.entity}];
                    host.kind = series.kind;
                    host.values.insert(host.values.end(), series.values.begin(), series.values.end());
                } else if ((whose == Whose::Device && row.entity == gpu) ||
                           (whose == Whose::Process && row.entity != kRecorder)) {
                    add(kShown[shown], series, {number, rank.host, {}, {}, {}, 0});
                }
            }
        }
    }

    /// `line` holds the owner and the start of the name.
    void add(const Shown& shown, const Series& series, SampleLine line)
    {
        for (const metrics::SampledStep& step :
             metrics::sampledSteps(series.kind, series.values, shown.factor, series.endNs)) {
            if (step.value) {
                line.steps.push_back({step.time, *step.value});
            }
        }
        if (line.steps.empty()) {
            return;
        }
        line.name += shown.name;
        line.unit = shown.unit;
        line.source = shown.source;
        line.metric = shown.metric;
        line.most = std::ranges::max(line.steps, {}, &SampleStep::value).value;
        m_lines.push_back(std::move(line));
    }

    const model::Model& m_model;
    std::set<std::size_t> m_processes; ///< processes visited so far
    std::map<HostKey, Series> m_hosts;
    std::vector<SampleLine> m_lines;
};

} // namespace

std::optional<double> SampleLine::at(std::int64_t timeNs) const
{
    const auto step = values::indexAt(steps, timeNs, &SampleStep::time);
    return step ? std::optional(steps[*step].value) : std::nullopt;
}

std::vector<std::optional<SampleColumn>> columnsOf(const SampleLine& line, const model::Interval& range,
                                                   int columns)
{
    std::vector<std::optional<SampleColumn>> result(static_cast<std::size_t>(std::max(0, columns)));
    const double scale = columns / std::max(1.0, static_cast<double>(range.length()));
    const auto columnOf = [&](std::int64_t timeNs) {
        const double column = static_cast<double>(timeNs - range.start) * scale;
        return static_cast<std::size_t>(std::clamp(column, 0.0, static_cast<double>(columns)));
    };
    auto step =
        std::ranges::upper_bound(line.steps, range.start, {}, [](const SampleStep& s) { return s.time.end; });
    for (; step != line.steps.end() && step->time.start < range.end; ++step) {
        const std::size_t first = columnOf(step->time.start);
        const std::size_t last = std::max(first + 1, columnOf(step->time.end));
        for (std::size_t i = first; i < std::min(last, result.size()); ++i) {
            SampleColumn& column =
                result[i] ? *result[i] : result[i].emplace(SampleColumn{step->value, step->value});
            column.least = std::min(column.least, step->value);
            column.most = std::max(column.most, step->value);
        }
    }
    return result;
}

std::optional<double> mostIn(const SampleLine& line, const model::Interval& range)
{
    const auto column = columnsOf(line, range, 1).front();
    return column ? std::optional(column->most) : std::nullopt;
}

std::vector<SampleLine> sampleLines(const model::Model& model)
{
    return LineBuilder(model).build();
}

std::string valueText(double value, const std::string& unit)
{
    const double size = std::abs(value);
    const std::string number = size >= 100 || value == std::floor(value) ? fmt::format("{:.0f}", value)
                               : size >= 1                               ? fmt::format("{:.2f}", value)
                                                                         : fmt::format("{:.3g}", value);
    return unit.empty() ? number : number + " " + unit;
}

} // namespace ringside::timeline
