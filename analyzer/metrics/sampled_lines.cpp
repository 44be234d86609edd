// SPDX-License-Identifier: Apache-2.0
#include "metrics/sampled_lines.h"

#include "metrics/samples.h"
#include "trace/vocabulary/series.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

namespace ringside::metrics {
namespace {

/// How the values of a unit are shown in charts.
struct UnitOf {
    trace::SeriesUnit unit;
    std::string_view suffix; ///< of the metric's name
    std::string_view gauge;  ///< shown unit of a gauge
    double gaugeFactor = 1;
    std::string_view rate; ///< shown unit of a counter's gain per second
    double rateFactor = 1;
};
constexpr double kGibibyte = 1024.0 * 1024.0 * 1024.0;
using enum trace::SeriesUnit;
constexpr std::array kUnits{
    UnitOf{BytesPerSecond, "_bytes_per_s", "GB/s", 1e-9, "GB/s per s", 1e-9},
    UnitOf{Bytes, "_bytes", "GiB", 1 / kGibibyte, "GB/s", 1e-9},
    UnitOf{Kibibytes, "_kib", "GiB", 1024 / kGibibyte, "GB/s", 1024e-9},
    UnitOf{Percent, "_percent", "%", 1, "%", 1},
    UnitOf{Hundredths, "_hundredths", "", 1e-2, "per s", 1e-2},
    UnitOf{Megahertz, "_mhz", "MHz", 1, "MHz/s", 1},
    UnitOf{Milliwatts, "_mw", "W", 1e-3, "W/s", 1e-3},
    UnitOf{Millijoules, "_mj", "J", 1e-3, "W", 1e-3},
    UnitOf{Celsius, "_celsius", "degrees C", 1, "degrees C/s", 1},
    UnitOf{MegabitsPerSecond, "_mbps", "Gb/s", 1e-3, "Gb/s per s", 1e-3},
    UnitOf{Nanoseconds, "_ns", "s", 1e-9, "s per s", 1e-9},
    UnitOf{Microseconds, "_us", "s", 1e-6, "s per s", 1e-6},
    UnitOf{Milliseconds, "_ms", "s", 1e-3, "s per s", 1e-3},
    UnitOf{ErrorsPer1e18Bits, "_per_1e18", "per 10^18 bits", 1, "per 10^18 bits", 1},
    UnitOf{Bits, "", "", 1, "per s", 1},
    UnitOf{Number, "", "", 1, "per s", 1},
};

/// Returns the unit of a series. If the vocabulary does not contain it, the suffix of its name decides.
const UnitOf& unitOf(const trace::SeriesSource& source, const trace::SeriesMetric& metric)
{
    const trace::SeriesEntry* const entry = trace::findSeries(source.text(), metric.text());
    return *std::ranges::find_if(kUnits, [&](const UnitOf& unit) {
        return entry != nullptr ? unit.unit == entry->unit : metric.text().ends_with(unit.suffix);
    });
}

/// The order of the sources; others follow.
const std::array<trace::SeriesSource, 7> kSources{"nvml",    "allocator", "rdma",  "process",
                                                  "machine", "network",   "cgroup"};

/// The rank that a series belongs to, and the map from its host's clock to run time.
struct Owner {
    std::optional<std::size_t> rank;
    model::ClockMap clock;
};

/// Returns the owner of a series. Those of a process, cgroup or GPU belong to a rank if it is unambiguous;
/// all others belong to the host.
Owner ownerOf(const model::Model& model, const trace::ProcessTrace& process, const trace::SeriesRow& row)
{
    Owner owner{std::nullopt, {process.process.startNs, 0, 0.0}};
    std::vector<std::size_t> own;
    for (std::size_t i = 0; i < model.ranks.size(); ++i) {
        const trace::ProcessTrace& other = model.processOf(model.ranks[i]);
        if (other.process.host == process.process.host && other.process.bootId == process.process.bootId) {
            owner.clock = model.ranks[i].clock;
        }
        if (&other == &process) {
            own.push_back(i);
        }
    }
    if (row.source == "nvml" || row.source == "allocator") {
        const auto found = std::ranges::find_if(
            own, [&](std::size_t i) { return gpuName(model, model.ranks[i]) == row.entity; });
        owner.rank = found != own.end() ? std::optional(*found) : std::nullopt;
    } else if ((row.source == "process" || row.source == "cgroup") && own.size() == 1) {
        owner.rank = own.front();
    }
    return owner;
}

using Samples = std::vector<SampleValue>; ///< in run time

std::vector<LinePoint> lineOf(Samples samples, const trace::SeriesRow& row, std::int64_t endNs)
{
    std::stable_sort(samples.begin(), samples.end(),
                     [](const SampleValue& a, const SampleValue& b) { return a.timeNs < b.timeNs; });
    const UnitOf& unit = unitOf(row.source, row.metric);
    const bool counter = row.kind == "counter";
    std::vector<LinePoint> line;
    for (const SampledStep& step :
         sampledSteps(row.kind, samples, counter ? unit.rateFactor : unit.gaugeFactor, endNs)) {
        if (!counter && step.value) {
            line.push_back({step.time.start, step.value});
        }
        if (counter || !step.value || row.kind == "changes") {
            line.push_back({step.time.end, step.value});
        }
    }
    return line;
}

using Metrics = std::vector<SampledMetric>;

SampledMetric& metricOf(Metrics& all, const trace::SeriesRow& row)
{
    const auto found = std::ranges::find_if(all, [&](const SampledMetric& metric) {
        return metric.source == row.source && metric.metric == row.metric;
    });
    if (found != all.end()) {
        return *found;
    }
    const UnitOf& unit = unitOf(row.source, row.metric);
    return all.emplace_back(SampledMetric{
        row.source, row.metric, std::string(row.kind == "counter" ? unit.rate : unit.gauge), {}});
}

/// Adds a line. A series of the host becomes one line even if several processes sampled it in turn.
void addLine(std::vector<SampledLine>& lines, SampledLine added)
{
    const auto same = std::ranges::find_if(lines, [&](const SampledLine& line) {
        return !line.rank && !added.rank && line.host == added.host && line.entity == added.entity;
    });
    if (same == lines.end()) {
        lines.push_back(std::move(added));
    } else if (!added.points.empty()) {
        same->points.push_back({added.points.front().timeNs, std::nullopt});
        std::ranges::move(added.points, std::back_inserter(same->points));
        std::ranges::stable_sort(same->points, {}, &LinePoint::timeNs);
    }
}

void addProcess(const model::Model& model, const trace::ProcessTrace& process, Metrics& all)
{
    std::unordered_map<std::uint32_t, std::pair<Owner, Samples>> bySeries;
    for (const trace::SeriesRow& row : process.series) {
        bySeries.try_emplace(static_cast<std::uint32_t>(row.id), ownerOf(model, process, row), Samples());
    }
    for (std::size_t i = 0; i < process.samples.size(); ++i) {
        if (const auto found = bySeries.find(process.samples.series[i]); found != bySeries.end()) {
            auto& [owner, samples] = found->second;
            samples.push_back({owner.clock.toRun(process.samples.timeNs[i]), process.samples.value[i]});
        }
    }
    for (const trace::SeriesRow& row : process.series) {
        auto& [owner, samples] = bySeries.at(static_cast<std::uint32_t>(row.id));
        const std::int64_t endNs = owner.clock.toRun(process.process.endNs.value_or(0));
        addLine(metricOf(all, row).lines,
                {process.process.host, owner.rank, row.entity, lineOf(std::move(samples), row, endNs),
                 std::string(process.text(row.reason))});
    }
}

/// Returns the windows and numbers of a rank's steps, on its own clock: device windows if there are any in
/// the run, else host windows.
std::vector<std::pair<Interval, std::int64_t>> stepsOf(const model::Model& model, const RunMetrics& metrics,
                                                       std::size_t index)
{
    std::vector<std::pair<Interval, std::int64_t>> steps;
    if (!metrics.ranks.empty()) {
        const RankMetrics& rank = metrics.ranks[index];
        for (std::size_t i = 0; i < std::min(rank.windows.size(), model.analyzedSteps.size()); ++i) {
            steps.emplace_back(rank.windows[i], model.analyzedSteps[i]);
        }
        return steps;
    }
    for (const model::Step& step : model.ranks[index].steps) {
        if (!step.boundary && !step.pausedAfter) {
            steps.emplace_back(step.host, step.number);
        }
    }
    return steps;
}

} // namespace

std::string SampledMetric::name() const
{
    std::string words(metric.text());
    const UnitOf& suffix = unitOf(source, metric);
    words.resize(words.size() - (words.ends_with(suffix.suffix) ? suffix.suffix.size() : 0));
    std::ranges::replace(words, '_', ' ');
    return std::string(source.text()) + ": " + words + (unit.empty() ? "" : ", " + unit);
}

bool SampledMetric::isMeasured() const
{
    return std::ranges::any_of(lines, [](const SampledLine& line) { return !line.points.empty(); });
}

std::vector<SampledMetric> sampledMetrics(const model::Model& model)
{
    Metrics all;
    for (const trace::ProcessTrace& process : model.trace.processes) {
        addProcess(model, process, all);
    }
    for (SampledMetric& metric : all) {
        std::ranges::stable_sort(metric.lines, [](const SampledLine& a, const SampledLine& b) {
            return std::tie(a.host, a.rank, a.entity) < std::tie(b.host, b.rank, b.entity);
        });
    }
    std::ranges::stable_sort(all, {}, [](const SampledMetric& metric) {
        return std::ranges::find(kSources, metric.source) - kSources.begin();
    });
    return all;
}

bool isOfLink(const SampledMetric& metric)
{
    return metric.source == "rdma" || metric.source == "network" ||
           metric.metric.text().starts_with("nvlink") || metric.metric.text().starts_with("pcie");
}

std::vector<LinePoint> stepTimeLine(const model::Model& model, const RunMetrics& metrics)
{
    struct Slowest {
        std::int64_t startNs = 0;
        std::int64_t ns = 0;
    };
    constexpr double kMillisecond = 1e6;
    std::map<std::int64_t, Slowest> byNumber;
    const std::size_t ranks = metrics.ranks.empty() ? model.ranks.size() : metrics.ranks.size();
    for (std::size_t i = 0; i < ranks; ++i) {
        const model::Rank& rank = model.ranks[metrics.ranks.empty() ? i : metrics.ranks[i].rank];
        for (const auto& [time, number] : stepsOf(model, metrics, i)) {
            const std::int64_t start = rank.clock.toRun(time.start);
            const auto [step, fresh] = byNumber.try_emplace(number, Slowest{start, time.length()});
            step->second = {std::min(step->second.startNs, start), std::max(step->second.ns, time.length())};
        }
    }
    std::vector<LinePoint> line;
    for (auto step = byNumber.begin(); step != byNumber.end(); ++step) {
        if (step != byNumber.begin() && step->first != std::prev(step)->first + 1) {
            line.push_back({step->second.startNs, std::nullopt});
        }
        line.push_back({step->second.startNs, static_cast<double>(step->second.ns) / kMillisecond});
    }
    return line;
}

} // namespace ringside::metrics
