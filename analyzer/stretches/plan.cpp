// SPDX-License-Identifier: Apache-2.0
#include "stretches/plan.h"

#include "model/steps.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace ringside::stretches {
namespace {

using trace::ProcessOutline;
using trace::TimeRange;

std::vector<HostStep> hostSteps(const std::vector<model::Step>& steps)
{
    std::vector<HostStep> result;
    result.reserve(steps.size());
    for (const model::Step& step : steps) {
        result.push_back({step.number, step.host.start, step.host.end, step.pausedAfter});
    }
    return result;
}

/// Numbers steps by their place, on all ranks, if their own numbers do not identify them.
void makeNumbersDistinct(RunSteps& steps)
{
    const bool distinct = std::ranges::all_of(steps.ofProcess, [](const std::vector<HostStep>& each) {
        return std::ranges::adjacent_find(each, std::greater_equal<>{}, &HostStep::number) == each.end();
    });
    for (std::vector<HostStep>& each : steps.ofProcess) {
        for (std::size_t i = 0; !distinct && i < each.size(); ++i) {
            each[i].number = static_cast<std::int64_t>(i) + 1;
        }
    }
}

/// Returns whether a process is no rank, though its environment says so: another process of the same rank did
/// more (model/find_ranks.h).
bool isHelper(const ProcessOutline& process, const std::map<std::int64_t, const ProcessOutline*>& byRank)
{
    return !process.marks.ranks.empty() && byRank.at(process.marks.ranks.front().rank) != &process;
}

/// Returns for each rank the process that did most.
std::map<std::int64_t, const ProcessOutline*> processesByRank(const std::vector<ProcessOutline>& processes)
{
    std::map<std::int64_t, const ProcessOutline*> byRank;
    for (const ProcessOutline& process : processes) {
        for (const trace::RankRow& row : process.marks.ranks) {
            const ProcessOutline*& most = byRank[row.rank];
            most = most == nullptr || most->rows() < process.rows() ? &process : most;
        }
    }
    return byRank;
}

/// Returns whether what the process is can be told without its rows: one rank, in its first attempt, or none.
bool isPlain(const ProcessOutline& process)
{
    const std::vector<trace::RankRow>& ranks = process.marks.ranks;
    const bool isOther = ranks.empty() && process.collectives + process.kernels == 0;
    return !process.damaged && (isOther || (ranks.size() == 1 && ranks.front().attempt == 0));
}

/// Finds the steps of all ranks as the model does (model/run_steps.h). Returns null if that needs all rows.
std::optional<RunSteps> findSteps(const std::vector<ProcessOutline>& processes)
{
    if (!std::ranges::all_of(processes, isPlain)) {
        return std::nullopt;
    }
    const auto byRank = processesByRank(processes);
    RunSteps steps;
    std::optional<int> definition;
    std::set<std::int64_t> numbers;
    for (const ProcessOutline& process : processes) {
        steps.ofProcess.emplace_back();
        if (process.marks.ranks.empty() || isHelper(process, byRank)) {
            continue;
        }
        const model::StepsByDefinition found = model::markedSteps(process.marks);
        if (found.empty() || process.kernels == 0 ||
            definition.value_or(found.begin()->first) != found.begin()->first) {
            return std::nullopt;
        }
        definition = found.begin()->first;
        steps.ofProcess.back() = hostSteps(found.begin()->second);
    }
    makeNumbersDistinct(steps);
    for (const std::vector<HostStep>& each : steps.ofProcess) {
        std::ranges::transform(each, std::inserter(numbers, numbers.end()), &HostStep::number);
    }
    steps.definition = definition.value_or(model::kMarkedSteps);
    steps.numbers.assign(numbers.begin(), numbers.end());
    return definition ? std::optional(std::move(steps)) : std::nullopt;
}

/// Returns when a process was in these steps. The first one of the run begins with the run, the last one ends
/// with it.
TimeRange timesOf(const std::vector<HostStep>& steps, const std::vector<std::int64_t>& numbers,
                  const Span& span)
{
    const auto startOf = [&](std::int64_t number) {
        const auto step = std::ranges::lower_bound(steps, number, {}, &HostStep::number);
        return step == steps.end() ? std::numeric_limits<std::int64_t>::max() : step->startNs;
    };
    TimeRange times;
    if (span.first > 0) {
        times.beginNs = startOf(numbers[span.first]);
    }
    if (span.last + 1 < numbers.size()) {
        times.endNs = startOf(numbers[span.last + 1]);
    }
    return times;
}

trace::ReadPart rowsIn(const Plan& plan, const std::vector<Span>& spans)
{
    trace::ReadPart part;
    for (std::size_t i = 0; i < plan.processes.size(); ++i) {
        const ProcessOutline& process = plan.processes[i];
        if (process.marks.ranks.empty()) {
            continue; // read as a whole
        }
        std::vector<TimeRange> times; // none of a helper
        for (std::size_t at = 0; at < spans.size() && !plan.steps.ofProcess[i].empty(); ++at) {
            times.push_back(timesOf(plan.steps.ofProcess[i], plan.steps.numbers, spans[at]));
        }
        part.emplace(std::pair(process.file, process.processId), trace::TimeRanges(std::move(times)));
    }
    return part;
}

/// Returns the steps of each process that lie in one of the spans.
std::vector<std::vector<model::Step>> stepsIn(const Plan& plan, const std::vector<Span>& spans)
{
    std::vector<std::vector<model::Step>> result;
    for (const std::vector<HostStep>& steps : plan.steps.ofProcess) {
        result.emplace_back();
        for (const Span& span : spans) {
            auto step =
                std::ranges::lower_bound(steps, plan.steps.numbers[span.first], {}, &HostStep::number);
            for (; step != steps.end() && step->number <= plan.steps.numbers[span.last]; ++step) {
                model::Step each{step->number, {step->startNs, step->endNs}, std::nullopt};
                each.pausedAfter = step->pausedAfter;
                result.back().push_back(each);
            }
        }
    }
    return result;
}

/// Returns short spans that are spread over the run.
std::vector<Span> sampleOf(std::size_t steps)
{
    constexpr std::size_t kSpans = 8;
    constexpr std::size_t kSteps = 3;
    std::vector<Span> spans;
    for (std::size_t i = 0; i < kSpans; ++i) {
        const std::size_t first = (steps - kSteps) * i / (kSpans - 1);
        if (spans.empty() || first > spans.back().last) {
            spans.push_back({first, first + kSteps - 1});
        }
    }
    return spans;
}

} // namespace

std::uint64_t memoryOf(const ProcessOutline& process)
{
    constexpr std::uint64_t kPackedRow = 11;
    constexpr std::uint64_t kCall = 600;
    constexpr std::uint64_t kRow = 250;
    return process.packedRows * kPackedRow + process.collectives * kCall + process.otherRows * kRow;
}

Plan planStretches(std::vector<ProcessOutline> processes, std::uint64_t memoryBytes)
{
    std::uint64_t bytes = 0;
    for (const ProcessOutline& process : processes) {
        bytes += memoryOf(process);
    }
    Plan plan;
    std::optional<RunSteps> steps = bytes > memoryBytes ? findSteps(processes) : std::nullopt;
    if (!steps) {
        return plan;
    }
    plan.steps = std::move(*steps);
    plan.processes = std::move(processes);
    for (ProcessOutline& process : plan.processes) {
        std::vector<trace::RankRow> ranks = std::move(process.marks.ranks);
        process.marks = {};
        process.marks.ranks = std::move(ranks);
    }
    const std::size_t all = plan.steps.numbers.size();
    const std::uint64_t parts = bytes / std::max<std::uint64_t>(1, memoryBytes) + 1;
    const std::size_t count = std::min<std::size_t>(parts, all / kFewestSteps);
    for (std::size_t i = 0; count > 1 && i < count; ++i) {
        plan.stretches.push_back({all * i / count, all * (i + 1) / count - 1});
    }
    return plan;
}

Part partOf(const Plan& plan, const Span& stretch, std::size_t lookAhead)
{
    const std::vector<std::int64_t>& numbers = plan.steps.numbers;
    const std::vector<Span> read{{stretch.first - std::min(stretch.first, lookAhead),
                                  std::min(numbers.size() - 1, stretch.last + lookAhead)}};
    return {{numbers[stretch.first], numbers[stretch.last], stretch.first == 0,
             stretch.last + 1 == numbers.size(), plan.steps.definition, stepsIn(plan, read)},
            rowsIn(plan, read)};
}

Part clockSampleOf(const Plan& plan)
{
    const std::vector<std::int64_t>& numbers = plan.steps.numbers;
    const std::vector<Span> spans = sampleOf(numbers.size());
    return {{numbers.front(), numbers.back(), false, false, plan.steps.definition, stepsIn(plan, spans)},
            rowsIn(plan, spans)};
}

} // namespace ringside::stretches
