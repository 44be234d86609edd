// SPDX-License-Identifier: Apache-2.0
#include "reduce/sum_up_steps.h"

#include "metrics/compute_metrics.h"
#include "metrics/metrics.h"
#include "model/build_model.h"
#include "model/model.h"
#include "reduce/host_counts.h"
#include "stretches/plan.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace ringside::reduce {
namespace {

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
