// SPDX-License-Identifier: Apache-2.0
#include "reduce/reduce.h"

#include "reduce/cut_rows.h"
#include "reduce/sum_up_steps.h"
#include "reduce/summary_file.h"
#include "trace/read/step_summaries.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace ringside::reduce {
namespace {

/// Whether device work of a step was recorded, as far as windows say so.
bool isDetailed(const trace::ProcessOutline& process, const model::Step& step)
{
    return std::ranges::none_of(process.marks.windows, [&](const trace::WindowRow& window) {
        const bool within = window.startNs <= step.host.start &&
                            step.host.start < window.endNs.value_or(std::numeric_limits<std::int64_t>::max());
        return within && (window.level == "light" || window.level == "paused");
    });
}

/// Chooses among the steps whose device work was recorded, where any was.
StepSample sampleOf(const HostRun& host, std::int64_t count)
{
    const bool device = std::ranges::any_of(
        host.processes, [](const trace::ProcessOutline& process) { return process.kernels > 0; });
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::int64_t last = std::numeric_limits<std::int64_t>::min();
    for (std::size_t i = 0; i < host.steps.size(); ++i) {
        for (const model::Step& step : host.steps[i]) {
            if (!device || isDetailed(host.processes[i], step)) {
                first = std::min(first, step.number);
                last = std::max(last, step.number);
            }
        }
    }
    return first <= last ? StepSample(first, last, count) : StepSample();
}

/// Each process takes a file of most of a megabyte before it is packed. Hosts have some hundreds.
constexpr std::ptrdiff_t kMostProcesses = 4096;

void checkHost(const HostRun& host)
{
    std::ptrdiff_t own = 0;
    for (std::size_t i = 0; i < host.processes.size(); ++i) {
        own += host.isOwn(i) ? 1 : 0;
    }
    if (own > kMostProcesses) {
        throw Error(ErrorCode::Unusable,
                    fmt::format("the traces name {} processes of host {}, and a summary has at most {}", own,
                                host.name, kMostProcesses),
                    "Are the traces of several hosts called by one name?");
    }
    if (std::ranges::all_of(host.steps, [](const auto& steps) { return steps.empty(); })) {
        throw Error(
            ErrorCode::Usage,
            fmt::format("the processes of host {} mark no steps, or not in the same way, so that none "
                        "can be chosen for a summary",
                        host.name),
            "Mark steps with NVTX ranges (`ProfilerStep#N`, `iteration N`) or with "
            "ringside_step_begin. `ringside merge` makes one file of a whole run.");
    }
}

/// Returns the sums of all steps: those that the recording process made, else those that are made here.
std::vector<std::vector<trace::StepSummaryRow>> summariesOf(const HostRun& host)
{
    std::map<std::filesystem::path, std::map<std::int64_t, std::vector<trace::StepSummaryRow>>> recorded;
    for (const trace::ProcessOutline& process : host.processes) {
        if (!recorded.contains(process.file)) {
            recorded.emplace(process.file, trace::readStepSummaries(process.file));
        }
    }
    std::vector<std::vector<trace::StepSummaryRow>> result(host.processes.size());
    bool missing = false;
    for (std::size_t i = 0; i < result.size(); ++i) {
        result[i] = std::move(recorded[host.processes[i].file][host.processes[i].processId]);
        missing = missing || (result[i].empty() && !host.steps[i].empty());
    }
    if (missing) {
        auto made = sumUpSteps(host);
        for (std::size_t i = 0; i < result.size(); ++i) {
            if (result[i].empty()) {
                result[i] = std::move(made[i]);
            }
        }
    }
    return result;
}

/// Returns the processes of the host with the rows that its summary has. Null: not of the host, or not
/// readable any more.
std::vector<std::optional<trace::ProcessTrace>> cutProcesses(const HostRun& host, const StepSample& sample)
{
    trace::ReadPart part;
    std::vector<KeptTimes> kept;
    for (std::size_t i = 0; i < host.processes.size(); ++i) {
        kept.push_back(keptTimesOf(host.steps[i], sample));
        part[{host.processes[i].file, host.processes[i].processId}] = kept.back().read;
    }
    auto processes = readHost(host, std::move(part));
    for (std::size_t i = 0; i < processes.size(); ++i) {
        if (processes[i]) {
            if (!processes[i]->summaryOf.empty()) {
                throw Error(ErrorCode::Usage, processes[i]->path.string() + " is a summary already",
                            "Reduce the run directory with the traces of its processes.");
            }
            cutRows(*processes[i], kept[i]);
            processes[i]->summaryOf = std::filesystem::absolute(processes[i]->path).string();
        }
    }
    return processes;
}

void countSteps(const HostRun& host, const StepSample& sample, Reduced& reduced)
{
    std::set<std::int64_t> numbers;
    for (const std::vector<model::Step>& steps : host.steps) {
        std::ranges::transform(steps, std::inserter(numbers, numbers.end()), &model::Step::number);
    }
    reduced.steps = numbers.size();
    reduced.wholeSteps = static_cast<std::size_t>(
        std::ranges::count_if(numbers, [&](std::int64_t number) { return sample.holds(number); }));
}

} // namespace

Reduced reduceHost(const HostRun& host, const Request& request)
{
    checkHost(host);
    Reduced reduced;
    reduced.file = request.directory / summaryName(host.name);
    refuseForeign(reduced.file);
    const StepSample sample = sampleOf(host, request.steps);
    auto processes = cutProcesses(host, sample);
    auto summaries = summariesOf(host);
    std::vector<trace::ProcessTrace> kept;
    for (std::size_t i = 0; i < processes.size(); ++i) {
        if (processes[i]) {
            processes[i]->stepSummaries = std::move(summaries[i]);
            kept.push_back(std::move(*processes[i]));
        } else {
            reduced.unreadable += host.isOwn(i) ? 1 : 0;
        }
    }
    writeSummary(kept, reduced.file);
    reduced.processes = kept.size();
    reduced.bytes = std::filesystem::file_size(reduced.file);
    countSteps(host, sample, reduced);
    return reduced;
}

} // namespace ringside::reduce
