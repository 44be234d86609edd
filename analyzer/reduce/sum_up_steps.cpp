// SPDX-License-Identifier: Apache-2.0
#include "reduce/sum_up_steps.h"

#include "metrics/compute_metrics.h"
#include "metrics/metrics.h"
#include "model/build_model.h"
#include "model/model.h"
#include "stretches/plan.h"
#include "trace/vocabulary/api_name.h"
#include "trace/vocabulary/host_words.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace ringside::reduce {
namespace {

/// What the host of a process did in a step: the host's columns of table step_summary.
class HostCounts final {
public:
    explicit HostCounts(const trace::ProcessTrace& process);
    /// Returns a row with the times of the step and what began in it.
    [[nodiscard]] trace::StepSummaryRow of(const model::Interval& step) const;

private:
    std::vector<std::int64_t> m_launches;                       ///< starts, ascending
    std::vector<std::pair<std::int64_t, std::int64_t>> m_calls; ///< by start: how many
    std::vector<model::Interval> m_blocking;                    ///< by start
    std::vector<model::Interval> m_loading;
};

std::int64_t countIn(const std::vector<std::int64_t>& starts, const model::Interval& step)
{
    return std::ranges::lower_bound(starts, step.end) - std::ranges::lower_bound(starts, step.start);
}

/// Returns the union of those that began in the step.
std::int64_t lengthIn(const std::vector<model::Interval>& times, const model::Interval& step)
{
    const auto first = std::ranges::lower_bound(times, step.start, {}, &model::Interval::start);
    const auto last = std::ranges::lower_bound(times, step.end, {}, &model::Interval::start);
    return model::lengthOfUnion({first, last});
}

bool isLaunch(std::string_view api)
{
    const std::string name = trace::inCudasWords(api);
    return name.starts_with("cudaLaunch") || name.starts_with("cudaGraphLaunch");
}

HostCounts::HostCounts(const trace::ProcessTrace& process)
{
    enum class Kind : std::uint8_t { Other, Launch, Blocking };
    std::unordered_map<trace::StringId, Kind> kinds;
    const auto kindOf = [&](trace::StringId api) {
        const auto [entry, fresh] = kinds.try_emplace(api, Kind::Other);
        if (fresh) {
            const std::string_view name = process.text(api);
            entry->second = isLaunch(name)                ? Kind::Launch
                            : trace::isBlockingCall(name) ? Kind::Blocking
                                                          : Kind::Other;
        }
        return entry->second;
    };
    for (std::size_t i = 0; i < process.apiCalls.size(); ++i) {
        const model::Interval times{process.apiCalls.startNs[i], process.apiCalls.endNs[i]};
        const Kind kind = kindOf(process.apiCalls.api[i]);
        if (kind == Kind::Launch) {
            m_launches.push_back(times.start);
        } else if (kind == Kind::Blocking) {
            m_blocking.push_back(times);
        }
    }
    if (process.apiCalls.size() == 0) { // no interposed calls, but those that CUPTI reported
        m_launches.assign(process.launches.startNs.begin(), process.launches.startNs.end());
    }
    for (const trace::CollectiveCallRow& call : process.collectiveCalls) {
        if (!call.graph) {
            m_calls.emplace_back(call.startNs, 1);
        }
    }
    for (std::size_t i = 0; i < process.graphLaunches.size(); ++i) {
        constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max(); // so that sums fit
        m_calls.emplace_back(process.graphLaunches.startNs[i],
                             static_cast<std::int64_t>(std::min(process.graphLaunches.calls[i], kMost)));
    }
    for (const trace::RangeRow& range : process.ranges) {
        if (trace::isDataLoadingRange(process.text(range.name))) {
            m_loading.push_back({range.startNs, range.endNs});
        }
    }
    std::ranges::sort(m_launches);
    std::ranges::sort(m_calls);
    std::ranges::sort(m_blocking, {}, &model::Interval::start);
    std::ranges::sort(m_loading, {}, &model::Interval::start);
}

trace::StepSummaryRow HostCounts::of(const model::Interval& step) const
{
    trace::StepSummaryRow row;
    row.startNs = step.start;
    row.endNs = step.end;
    row.launches = countIn(m_launches, step);
    const auto firstCall = std::ranges::lower_bound(m_calls, std::pair(step.start, std::int64_t{0}));
    for (auto call = firstCall; call != m_calls.end() && call->first < step.end; ++call) {
        row.collectives = model::addCapped(row.collectives, call->second);
    }
    row.blockingNs = lengthIn(m_blocking, step);
    row.loadingNs = lengthIn(m_loading, step);
    return row;
}

constexpr std::int64_t kBefore = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kAfter = std::numeric_limits<std::int64_t>::max();

/// Steps by their places in the ascending numbers of all steps; the last one belongs to them.
using stretches::Span;

/// A part of the host's run in memory.
struct HostPart {
    trace::RunTrace trace;
    model::StepStretch stretch;
    std::vector<std::size_t> places; ///< of its processes in HostRun::processes
};

std::vector<std::int64_t> numbersOf(const HostRun& host)
{
    std::set<std::int64_t> numbers;
    for (const std::vector<model::Step>& steps : host.steps) {
        for (const model::Step& step : steps) {
            numbers.insert(step.number);
        }
    }
    return {numbers.begin(), numbers.end()};
}

/// Returns equally long stretches whose rows fit into memory.
std::vector<Span> stretchesOf(const HostRun& host, std::size_t steps, std::uint64_t rowBytes)
{
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < host.processes.size(); ++i) {
        bytes += host.isOwn(i) ? stretches::memoryOf(host.processes[i]) : 0;
    }
    const std::uint64_t parts = bytes / std::max<std::uint64_t>(1, rowBytes) + 1;
    const std::size_t count =
        std::clamp<std::size_t>(steps / stretches::kFewestSteps, 1, static_cast<std::size_t>(parts));
    std::vector<Span> spans;
    for (std::size_t i = 0; i < count && steps > 0; ++i) {
        spans.push_back({steps * i / count, steps * (i + 1) / count - 1});
    }
    return spans;
}

/// Returns the steps with these numbers.
std::vector<model::Step> stepsBetween(const std::vector<model::Step>& steps, std::int64_t first,
                                      std::int64_t last)
{
    std::vector<model::Step> result;
    std::ranges::copy_if(steps, std::back_inserter(result), [&](const model::Step& step) {
        return step.number >= first && step.number <= last;
    });
    return result;
}

/// Reads a stretch with the steps around it.
HostPart readPart(const HostRun& host, const std::vector<std::int64_t>& numbers, const Span& span)
{
    const std::size_t before = std::min(span.first, stretches::kFarthestLookAhead);
    const std::size_t last = std::min(numbers.size() - 1, span.last + stretches::kFarthestLookAhead);
    const bool begins = span.first == before;
    const bool ends = last + 1 == numbers.size();
    trace::ReadPart rows;
    std::vector<std::vector<model::Step>> steps;
    for (std::size_t i = 0; i < host.processes.size(); ++i) {
        steps.push_back(stepsBetween(host.steps[i], numbers[span.first - before], numbers[last]));
        const trace::TimeRange times{begins || steps[i].empty() ? kBefore : steps[i].front().host.start,
                                     ends || steps[i].empty() ? kAfter : steps[i].back().host.end};
        rows[{host.processes[i].file, host.processes[i].processId}] = trace::TimeRanges({times});
    }
    HostPart part;
    part.stretch = {numbers[span.first], numbers[span.last],
                    span.first == 0,     span.last + 1 == numbers.size(),
                    host.definition,     {}};
    auto read = readHost(host, std::move(rows));
    for (std::size_t i = 0; i < read.size(); ++i) {
        if (read[i]) {
            part.trace.processes.push_back(std::move(*read[i]));
            part.stretch.steps.push_back(std::move(steps[i]));
            part.places.push_back(i);
        }
    }
    return part;
}

/// Returns the CUDA ordinal of the device that a rank works on.
std::optional<std::int64_t> deviceOf(const model::Model& model, const model::Rank& rank)
{
    const trace::ProcessTrace& process = model.processOf(rank);
    const auto row = std::ranges::find(process.ranks, rank.rank, &trace::RankRow::rank);
    if (row != process.ranks.end() && row->device) {
        return row->device;
    }
    return process.kernels.size() > 0 ? std::optional<std::int64_t>(process.kernels.device.front())
                                      : std::nullopt;
}

/// Sets the device figures of the steps that were analyzed. `rows` are those of the rank's steps.
void addDeviceFigures(std::vector<trace::StepSummaryRow>& rows, const metrics::RankMetrics& metrics,
                      const model::Rank& rank, std::int64_t device)
{
    std::size_t next = 0;
    for (std::size_t i = 0; i < rank.steps.size() && next < metrics.windows.size(); ++i) {
        if (rank.steps[i].device != metrics.windows[next]) {
            continue;
        }
        const metrics::Breakdown& figures = metrics.steps[next];
        trace::StepSummaryRow& row = rows[i];
        row.device = device;
        row.deviceStartNs = metrics.windows[next].start;
        row.deviceEndNs = metrics.windows[next].end;
        row.computeNs = figures.computeNs;
        row.communicationNs = figures.communicationNs;
        row.exposedCommunicationNs = figures.exposedCommunicationNs;
        row.exposedCopyNs = figures.exposedCopyNs;
        row.idleNs = figures.idleNs;
        ++next;
    }
}

std::vector<trace::StepSummaryRow> rowsOf(const model::Model& model, const metrics::RunMetrics& run,
                                          std::size_t index)
{
    const model::Rank& rank = model.ranks[index];
    const HostCounts counts(model.processOf(rank));
    std::vector<trace::StepSummaryRow> rows;
    for (const model::Step& step : rank.steps) {
        trace::StepSummaryRow row = counts.of(step.host);
        row.number = step.number;
        row.source = rank.stepSource == model::StepSource::Mark ? trace::SummarySource("mark")
                                                                : trace::SummarySource("range");
        rows.push_back(std::move(row));
    }
    const auto found = std::ranges::find(run.ranks, index, &metrics::RankMetrics::rank);
    if (const auto device = deviceOf(model, rank); device && found != run.ranks.end()) {
        addDeviceFigures(rows, *found, rank, *device);
    }
    return rows;
}

/// Numbers the rows of a process by their steps.
void setIds(std::vector<trace::StepSummaryRow>& rows, const std::vector<model::Step>& steps)
{
    for (trace::StepSummaryRow& row : rows) {
        const auto step = std::ranges::lower_bound(steps, *row.number, {}, &model::Step::number);
        row.id = step - steps.begin() + 1;
    }
    std::ranges::stable_sort(rows, {}, &trace::StepSummaryRow::id);
}

} // namespace

std::vector<std::vector<trace::StepSummaryRow>> sumUpSteps(const HostRun& host, std::uint64_t rowBytes)
{
    std::vector<std::vector<trace::StepSummaryRow>> result(host.processes.size());
    const std::vector<std::int64_t> numbers = numbersOf(host);
    for (const Span& span : stretchesOf(host, numbers.size(), rowBytes)) {
        HostPart part = readPart(host, numbers, span);
        model::ModelOptions options;
        options.stretch = part.stretch;
        const model::Model model = model::buildModel(std::move(part.trace), options);
        const metrics::RunMetrics run = metrics::computeMetrics(model);
        for (std::size_t i = 0; i < model.ranks.size(); ++i) {
            for (trace::StepSummaryRow& row : rowsOf(model, run, i)) {
                if (*row.number >= part.stretch.first && *row.number <= part.stretch.last) {
                    result[part.places[model.ranks[i].process]].push_back(std::move(row));
                }
            }
        }
    }
    for (std::size_t i = 0; i < result.size(); ++i) {
        setIds(result[i], host.steps[i]);
    }
    return result;
}

} // namespace ringside::reduce
