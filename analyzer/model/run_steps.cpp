// SPDX-License-Identifier: Apache-2.0
#include "model/run_steps.h"

#include "model/period_steps.h"
#include "model/recording_step.h"
#include "trace/read/parallel.h"

#include <ringside/error.h>
#include <ringside/trace/recording_windows.h>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace ringside::model {
namespace {

constexpr int kPeriodSteps = std::numeric_limits<int>::max(); ///< comes after all definitions by marks

/// The steps of every process that holds a rank.
using StepsByProcess = std::map<std::size_t, StepsByDefinition>;

void addPeriod(Model& model, StepsByProcess& found)
{
    PeriodSteps period = stepsFromPeriod(model.trace, model.ranks, model.operations, model.stepsBy);
    if (period.found.calls > 0) {
        model.stepPeriod = period.found;
    }
    for (auto& [process, steps] : found) {
        if (!period.ofProcess[process].empty()) {
            steps[kPeriodSteps] = std::move(period.ofProcess[process]);
        }
    }
    if (period.apart > 0) {
        model.issues.push_back(
            {trace::Issue::StepsApart, static_cast<std::int64_t>(period.apart),
             "ranks take no part in the collective with which the steps of the others begin: theirs were "
             "counted by themselves, and their step N need not be the others' step N"});
    }
}

/// Returns how many processes have steps by each definition.
std::map<int, std::size_t> countDefinitions(const StepsByProcess& found)
{
    std::map<int, std::size_t> counts;
    for (const auto& [process, steps] : found) {
        for (const auto& [definition, each] : steps) {
            ++counts[definition];
        }
    }
    return counts;
}

/// Returns the best definition by which all processes with any steps have them, otherwise the one by which
/// most have them. Returns null if no process has steps.
std::optional<int> chooseDefinition(const StepsByProcess& found)
{
    const auto counts = countDefinitions(found);
    const auto any =
        std::ranges::count_if(found, [](const auto& process) { return !process.second.empty(); });
    const auto all = std::ranges::find_if(counts, [&](const auto& definition) {
        return static_cast<std::ptrdiff_t>(definition.second) == any;
    });
    const auto most =
        std::ranges::max_element(counts, {}, [](const auto& definition) { return definition.second; });
    return all != counts.end()    ? std::optional(all->first)
           : most != counts.end() ? std::optional(most->first)
                                  : std::nullopt;
}

/// Numbers steps by their place, on all ranks, if their own numbers do not identify them. That is so if
/// numbers start again, for example in each epoch.
void makeNumbersDistinct(StepsByProcess& found, int definition)
{
    const auto notAfter = [](const Step& a, const Step& b) { return a.number >= b.number; };
    const bool distinct = std::ranges::all_of(found, [&](auto& process) {
        const std::vector<Step>& steps = process.second[definition];
        return std::ranges::adjacent_find(steps, notAfter) == steps.end();
    });
    for (auto& [process, steps] : found) {
        for (std::size_t i = 0; !distinct && i < steps[definition].size(); ++i) {
            steps[definition][i].number = static_cast<std::int64_t>(i) + 1;
        }
    }
}

/// By how much the first rank's number of a step is above the own one, and how many collectives say so.
using Offsets = std::map<std::int64_t, std::size_t>;

/// Looks up in which steps the first rank and the others called the same collectives. Up to about a thousand
/// collectives are looked at.
std::map<std::size_t, Offsets> offsetsOf(const Model& model, StepsByProcess& found, int definition)
{
    constexpr std::size_t kMost = 1000;
    const auto numberIn = [&](const Participant& part) {
        const std::size_t process = model.ranks[part.rank].process;
        const std::vector<Step>& steps = found[process][definition];
        const auto& calls = model.trace.processes[process].collectiveCalls;
        const auto step = part.call < calls.size()
                              ? values::indexAt(steps, calls[part.call].startNs, &Step::host)
                              : std::nullopt;
        return step ? std::optional(steps[*step].number) : std::nullopt;
    };
    std::map<std::size_t, Offsets> offsets;
    for (std::size_t i = 0; i < model.operations.size(); i += 1 + model.operations.size() / kMost) {
        const std::vector<Participant>& parts = model.operations[i].participants;
        const auto first = parts.front().rank == 0 ? numberIn(parts.front()) : std::nullopt;
        for (std::size_t other = 1; first && other < parts.size(); ++other) {
            if (const auto number = numberIn(parts[other])) {
                ++offsets[model.ranks[parts[other].rank].process][*first - *number];
            }
        }
    }
    return offsets;
}

/// Profilers that start apart may each number steps from their own first one. The steps of a process get the
/// numbers of those in which the first rank called most of the same collectives.
void numberByCollectives(Model& model, StepsByProcess& found, int definition)
{
    std::int64_t renumbered = 0;
    for (const auto& [process, offsets] : offsetsOf(model, found, definition)) {
        std::size_t all = 0;
        for (const auto& [offset, count] : offsets) {
            all += count;
        }
        const auto most =
            std::ranges::max_element(offsets, {}, [](const auto& offset) { return offset.second; });
        if (process == model.ranks.front().process || most->first == 0 || 2 * most->second <= all) {
            continue;
        }
        ++renumbered;
        for (Step& step : found[process][definition]) {
            step.number += most->first;
        }
    }
    if (renumbered > 0) {
        model.issues.push_back({trace::Issue::RecordingsApart, renumbered,
                                "processes number the same steps otherwise than the first rank: steps are "
                                "compared by the collectives that were called in them"});
    }
}

/// Reports processes whose steps are not known, and processes whose own marks are not used.
void noteDisagreement(Model& model, const StepsByProcess& found, int definition)
{
    std::int64_t without = 0;
    std::int64_t better = 0;
    for (const auto& [process, steps] : found) {
        without += steps.empty() || steps.contains(definition) ? 0 : 1;
        better += !steps.empty() && steps.begin()->first < definition ? 1 : 0;
    }
    if (without > 0) {
        model.issues.push_back({trace::Issue::StepsNotEverywhere, without,
                                "processes do not mark steps as the others do, nor repeat their calls: which "
                                "steps are theirs is not known"});
    }
    if (better > 0) {
        model.issues.push_back(
            {trace::Issue::StepsMarkedBySome, better,
             fmt::format("processes mark steps in a way that others do not: the steps of all ranks are {}",
                         definition == kPeriodSteps ? "the period of their collectives"
                                                    : "those that all of them mark")});
    }
}

/// Returns the steps that the process marks or, if the user defined steps, those by the user's definition.
StepsByDefinition givenSteps(const trace::ProcessTrace& process, const StepsBy& stepsBy)
{
    return !stepsBy.range.empty() ? namedSteps(process, stepsBy.range)
           : stepsBy.isGiven()    ? StepsByDefinition()
                                  : markedSteps(process);
}

bool mayRepeat(const StepsBy& stepsBy)
{
    return !stepsBy.isGiven() || stepsBy.calls > 0;
}

[[noreturn]] void throwNoSuchSteps(const Model& model)
{
    const StepsBy& stepsBy = model.stepsBy;
    if (stepsBy.calls > 0) {
        throw Error(ErrorCode::Usage, fmt::format("no rank's calls repeat after {} of them", stepsBy.calls),
                    "Count the collectives, sends and receives that one rank makes in a step.");
    }
    std::set<std::string_view> names;
    for (const Rank& rank : model.ranks) {
        for (const trace::RangeRow& range : model.processOf(rank).ranges) {
            names.insert(model.processOf(rank).text(range.name));
        }
    }
    constexpr std::size_t kMostNames = 10;
    std::vector<std::string_view> some(names.begin(), names.end());
    some.resize(std::min(some.size(), kMostNames));
    throw Error(ErrorCode::Usage, fmt::format("no range is called '{}'", stepsBy.range),
                some.empty() ? std::string("The run has no NVTX ranges at all: use period=N or none.")
                             : fmt::format("Ranges of this run: {}{}.", fmt::join(some, ", "),
                                           names.size() > some.size() ? " and others" : ""));
}

StepSource sourceOf(int definition)
{
    return definition == kMarkedSteps   ? StepSource::Mark
           : definition == kPeriodSteps ? StepSource::Period
                                        : StepSource::Range;
}

/// Takes the steps of a part of a run as they were found in the whole run.
void takeStretchSteps(Model& model)
{
    for (Rank& rank : model.ranks) {
        rank.steps = model.stretch->steps.at(rank.process);
        rank.stepSource = rank.steps.empty() ? StepSource::None : sourceOf(model.stretch->definition);
    }
}

void findHostSteps(Model& model)
{
    if (model.stretch) {
        takeStretchSteps(model);
        return;
    }
    StepsByProcess found;
    for (const Rank& rank : model.ranks) {
        if (!found.contains(rank.process)) {
            found.emplace(rank.process, givenSteps(model.processOf(rank), model.stepsBy));
        }
    }
    const auto counts = countDefinitions(found);
    if (mayRepeat(model.stepsBy) &&
        std::ranges::none_of(counts, [&](const auto& each) { return each.second == found.size(); })) {
        addPeriod(model, found);
    }
    std::optional<int> definition = chooseDefinition(found);
    if (!definition && !model.stepsBy.isGiven()) {
        for (auto& [process, steps] : found) {
            steps = optimizerSteps(model.trace.processes[process]);
        }
        definition = chooseDefinition(found);
    }
    if (definition != kPeriodSteps) {
        model.stepPeriod.reset();
    }
    if (!definition && (model.stepsBy.calls > 0 || !model.stepsBy.range.empty())) {
        throwNoSuchSteps(model);
    }
    if (!definition) {
        takeRecordingForStep(model);
        return;
    }
    noteDisagreement(model, found, *definition);
    makeNumbersDistinct(found, *definition);
    numberByCollectives(model, found, *definition);
    for (Rank& rank : model.ranks) {
        rank.steps = found[rank.process][*definition];
        rank.stepSource = rank.steps.empty() ? StepSource::None : sourceOf(*definition);
    }
}

/// What is known of one step over all ranks.
struct StepSeen {
    std::size_t measured = 0; ///< number of ranks that measured it
    bool boundary = false;    ///< on any rank
    bool warmUp = false;      ///< on any rank
};

void markWarmUp(std::vector<Step>& steps, const trace::ProcessTrace& process)
{
    for (const trace::WindowRow& window : process.windows) {
        if (!window.why.starts_with(trace::kWarmUp)) {
            continue;
        }
        for (Step& step : steps) {
            const bool before = window.endNs && step.host.start >= *window.endNs;
            step.warmUp = step.warmUp || (step.host.start >= window.startNs && !before);
        }
    }
}

/// Numbers of the steps that were measured on every rank that measured any.
struct MeasuredSteps {
    std::vector<std::int64_t> all;
    std::vector<std::int64_t> whole; ///< `all` without steps at the edges of the recording
    std::vector<std::int64_t> warm;  ///< `whole` without steps of the warm-up
};

/// Steps of the warm-up are analyzed only if fewer than 10 steps are left without them. Steps at the edges
/// are analyzed only if there are fewer than 4 steps, or no others.
void choose(Model& model, MeasuredSteps&& steps)
{
    constexpr std::size_t kFewest = 4;
    constexpr std::size_t kFewestWarm = 10;
    StepCoverage& coverage = model.stepCoverage;
    if (model.stretch) { // of a long run, which has enough other steps
        coverage.boundary = steps.all.size() - steps.whole.size();
        coverage.warmUp = steps.whole.size() - steps.warm.size();
        model.analyzedSteps = std::move(steps.warm);
        return;
    }
    model.analyzedWhole = steps.all.size() < kFewest || steps.whole.empty();
    if (model.analyzedWhole) {
        model.analyzedSteps = std::move(steps.all);
        return;
    }
    coverage.boundary = steps.all.size() - steps.whole.size();
    const std::size_t warmUp = steps.whole.size() - steps.warm.size();
    if (steps.warm.size() >= kFewestWarm) {
        coverage.warmUp = warmUp;
        model.analyzedSteps = std::move(steps.warm);
        return;
    }
    model.analyzedSteps = std::move(steps.whole);
    if (warmUp > 0) {
        model.issues.push_back(
            {trace::Issue::WarmUpAnalyzed, static_cast<std::int64_t>(warmUp),
             fmt::format("of the analyzed steps belong to the run's warm-up, since fewer than {} "
                         "came after it: later steps may be shorter",
                         kFewestWarm)});
    }
}

bool isOfStretch(const Model& model, const Step& step)
{
    return !model.stretch || (step.number >= model.stretch->first && step.number <= model.stretch->last);
}

} // namespace

void findSteps(Model& model)
{
    findHostSteps(model);
    trace::parallelFor(model.ranks.size(), trace::coreCount(), [&](std::size_t i) {
        Rank& rank = model.ranks[i];
        if (rank.stepSource == StepSource::Recording) {
            return;
        }
        findDeviceSteps(rank.steps, model.processOf(rank), model.launches[rank.process], rank.device,
                        model.stretch ? Extent::Part : Extent::Whole);
        markWarmUp(rank.steps, model.processOf(rank));
    });
    const auto withoutLaunches = std::ranges::count_if(model.ranks, [&](const Rank& rank) {
        return !model.stretch && rank.deviceTier && model.launches[rank.process].empty() &&
               !rank.steps.empty();
    });
    if (withoutLaunches > 0) {
        model.issues.push_back({trace::Issue::StepsFromHostClock, withoutLaunches,
                                "ranks have no launch records: their device steps are cut at the host's step "
                                "times"});
    }
}

/// Chooses among the steps that have a device time on every rank that has any.
void chooseSteps(Model& model)
{
    std::map<std::int64_t, StepSeen> seen;
    std::size_t measuring = 0;
    for (const Rank& rank : model.ranks) {
        bool any = false;
        for (const Step& step : rank.steps) {
            if (!isOfStretch(model, step)) {
                continue;
            }
            StepSeen& entry = seen[step.number];
            entry.measured += step.device ? 1U : 0U;
            entry.boundary = entry.boundary || step.boundary;
            entry.warmUp = entry.warmUp || step.warmUp;
            any = any || step.device;
        }
        measuring += any ? 1U : 0U;
    }
    if (model.stretch) { // a rank that measured nothing here did so elsewhere in the run
        measuring = model.ranks.size();
    }
    StepCoverage& coverage = model.stepCoverage;
    coverage.found = seen.size();
    MeasuredSteps measured;
    for (const auto& [number, entry] : seen) {
        coverage.withoutDevice += entry.measured == 0 ? 1U : 0U;
        coverage.notEverywhere += entry.measured > 0 && entry.measured < measuring ? 1U : 0U;
        if (entry.measured == 0 || entry.measured < measuring) {
            continue;
        }
        measured.all.push_back(number);
        if (!entry.boundary) {
            measured.whole.push_back(number);
        }
        if (!entry.boundary && !entry.warmUp) {
            measured.warm.push_back(number);
        }
    }
    choose(model, std::move(measured));
}

} // namespace ringside::model
