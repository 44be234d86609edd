// SPDX-License-Identifier: Apache-2.0
#include "report/all_steps.h"

#include "rules/shared/support.h"
#include "values/quantile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace ringside::report {
namespace {

constexpr std::size_t kMostParts = 10;
constexpr std::size_t kStepsOfAPart = 10;
/// A part whose median is farther from the run's is named.
constexpr double kOther = 0.1;

/// Lengths in ns by step number, over all ranks.
using Lengths = std::map<std::int64_t, std::vector<std::int64_t>>;

bool isStep(const trace::StepSummaryRow& row)
{
    return row.source != trace::SummarySource("time");
}

/// Returns whether the numbers that the program gave its steps tell them apart, in every process.
bool numbersAreDistinct(const trace::RunTrace& run)
{
    return std::ranges::all_of(run.processes, [](const trace::ProcessTrace& process) {
        std::map<std::int64_t, std::int64_t> ids;
        return std::ranges::all_of(process.stepSummaries, [&](const trace::StepSummaryRow& row) {
            return row.number && ids.try_emplace(*row.number, row.id).first->second == row.id;
        });
    });
}

void addDevice(const trace::ProcessTrace& process, bool byNumber, Lengths& lengths)
{
    for (const trace::StepSummaryRow& row : process.stepSummaries) {
        if (!isStep(row)) {
            continue;
        }
        std::vector<std::int64_t>& of = lengths[byNumber ? *row.number : row.id];
        if (row.deviceStartNs && row.deviceEndNs && *row.deviceEndNs > *row.deviceStartNs) {
            of.push_back(*row.deviceEndNs - *row.deviceStartNs);
        }
    }
}

/// From the begin of a step to that of the next one.
void addHost(const trace::ProcessTrace& process, bool byNumber, Lengths& lengths)
{
    const auto& rows = process.stepSummaries;
    for (std::size_t i = 1; i + 1 < rows.size(); ++i) {
        const std::int64_t length = rows[i + 1].startNs - rows[i].startNs;
        if (isStep(rows[i]) && rows[i].id != rows[i + 1].id && length > 0) {
            lengths[byNumber ? *rows[i].number : rows[i].id].push_back(length);
        }
    }
}

/// Returns the mean over the ranks of each step, as metrics::stepTimes() does.
std::vector<double> meansOf(Lengths::const_iterator first, Lengths::const_iterator last)
{
    std::vector<double> means;
    for (auto step = first; step != last; ++step) {
        const std::vector<std::int64_t>& ranks = step->second;
        if (!ranks.empty()) {
            means.push_back(std::accumulate(ranks.begin(), ranks.end(), 0.0) /
                            static_cast<double>(ranks.size()));
        }
    }
    return means;
}

void addParts(AllSteps& all, const Lengths& lengths, const std::vector<std::int64_t>& analyzed)
{
    const std::size_t count = std::min(kMostParts, lengths.size() / kStepsOfAPart);
    auto first = lengths.begin();
    for (std::size_t i = 0; count > 1 && i < count; ++i) {
        const auto last = std::next(first, static_cast<std::ptrdiff_t>(lengths.size() * (i + 1) / count -
                                                                       lengths.size() * i / count));
        const StepPart part{first->first, std::prev(last)->first, 0, 0};
        std::vector<double> times = meansOf(first, last);
        if (!times.empty()) {
            all.parts.push_back(part);
            all.parts.back().medianNs = std::llround(values::median(std::move(times)));
            all.parts.back().analyzed =
                static_cast<std::size_t>(std::ranges::count_if(analyzed, [&](std::int64_t number) {
                    return number >= part.firstStep && number <= part.lastStep;
                }));
        }
        first = last;
    }
}

} // namespace

std::optional<AllSteps> allStepsOf(const model::Model& model)
{
    AllSteps all;
    std::set<std::string> folders;
    const bool byNumber = numbersAreDistinct(model.trace);
    Lengths lengths;
    for (const trace::ProcessTrace& process : model.trace.processes) {
        ++all.processes;
        if (!process.summaryOf.empty()) {
            ++all.summaries;
            folders.insert(std::filesystem::path(process.summaryOf).parent_path().string());
        }
        addDevice(process, byNumber, lengths);
    }
    if (all.summaries == 0) {
        return std::nullopt;
    }
    all.traceFolders.assign(folders.begin(), folders.end());
    all.steps = lengths.size();
    std::vector<double> times = meansOf(lengths.begin(), lengths.end());
    all.onHost = times.empty();
    if (all.onHost) {
        for (const trace::ProcessTrace& process : model.trace.processes) {
            addHost(process, byNumber, lengths);
        }
        times = meansOf(lengths.begin(), lengths.end());
    }
    if (!times.empty()) {
        all.p99Ns = std::llround(values::quantile(times, 0.99));
        all.medianNs = std::llround(values::median(std::move(times)));
        addParts(all, lengths, model.analyzedSteps);
    }
    return all;
}

std::vector<std::string> allStepsLines(const std::optional<AllSteps>& all, std::size_t analyzed)
{
    if (!all) {
        return {};
    }
    std::vector<std::string> lines;
    lines.push_back(
        fmt::format("From summaries of hosts ({} of {} processes): findings and figures are of {} "
                    "of {} steps, whose rows were kept{}.",
                    all->summaries, all->processes, analyzed, all->steps,
                    all->medianNs ? "; the length of a step is that of all steps" : ""));
    for (const StepPart& part : all->parts) {
        const double change = static_cast<double>(part.medianNs) / static_cast<double>(*all->medianNs) - 1;
        if (std::abs(change) > kOther) {
            lines.push_back(fmt::format(
                "Steps {} to {} are {} {} than the run's median ({}); {} of them were "
                "analyzed.",
                part.firstStep, part.lastStep, rules::percent(std::abs(change)),
                change > 0 ? "longer" : "shorter", rules::milliseconds(part.medianNs), part.analyzed));
        }
    }
    if (!all->traceFolders.empty()) {
        lines.push_back(fmt::format("The whole traces were in {}{}.", all->traceFolders.front(),
                                    all->traceFolders.size() > 1
                                        ? fmt::format(" and in {} more", all->traceFolders.size() - 1)
                                        : ""));
    }
    return lines;
}

} // namespace ringside::report
