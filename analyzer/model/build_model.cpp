// SPDX-License-Identifier: Apache-2.0
#include "model/build_model.h"

#include "model/align_clocks.h"
#include "model/find_layout.h"
#include "model/find_ranks.h"
#include "model/run_steps.h"
#include "trace/read/parallel.h"
#include "values/quantile.h"

#include <fmt/format.h>

#include <cctype>
#include <limits>
#include <map>
#include <set>

namespace ringside::model {
namespace {

/// Finds the hosts of the ranks. A rank whose host the trace does not name gets a host of its own, because it
/// may have any clock.
void findHosts(Model& model)
{
    for (Rank& rank : model.ranks) {
        const trace::ProcessRow& process = model.processOf(rank).process;
        const auto known = std::find_if(model.hosts.begin(), model.hosts.end(), [&](const Host& host) {
            return !host.name.empty() && host.name == process.host && host.bootId == process.bootId;
        });
        rank.host = static_cast<std::size_t>(known - model.hosts.begin());
        if (known == model.hosts.end()) {
            Host host;
            host.name = process.host;
            host.bootId = process.bootId;
            model.hosts.push_back(host);
        }
    }
}

/// Adds an issue. If the same issue with the same text is there already, only its count grows.
void addIssue(Model& model, const trace::IssueRow& issue)
{
    const auto same = std::ranges::find_if(model.issues, [&](const trace::IssueRow& each) {
        return each.id == issue.id && each.severity == issue.severity && each.message == issue.message;
    });
    if (same == model.issues.end()) {
        model.issues.push_back(issue);
    } else {
        same->count = addCapped(same->count, issue.count);
    }
}

void collectIssues(Model& model)
{
    model.issues = model.trace.issues;
    for (const trace::ProcessTrace& process : model.trace.processes) {
        for (const trace::IssueRow& issue : process.issues) {
            addIssue(model, issue);
        }
        model.emulated = model.emulated || process.process.emulated ||
                         std::ranges::any_of(process.devices, &trace::DeviceRow::emulated);
    }
    model.imported = std::ranges::any_of(
        model.issues, [](const trace::IssueRow& issue) { return issue.is(trace::Issue::Imported); });
}

std::vector<std::string> inLowerCase(std::vector<std::string> names)
{
    for (std::string& name : names) {
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    }
    return names;
}

void noteUnusedNames(Model& model)
{
    if (model.communicationKernels.empty()) {
        return;
    }
    for (const std::string& name : unusedNames(model.trace.processes, model.communicationKernels)) {
        model.issues.push_back(
            {trace::Issue::CommunicationKernelUnused, 1,
             fmt::format("no kernel's name holds '{}', which was said to communicate", name)});
    }
}

/// Counts launches of CUDA graphs. A launch has one row for each communicator.
void countGraphLaunches(Model& model)
{
    for (std::size_t p = 0; p < model.trace.processes.size(); ++p) {
        const trace::GraphLaunchColumns& launches = model.trace.processes[p].graphLaunches;
        for (std::size_t i = 0; i < launches.size(); ++i) {
            const bool again = i > 0 && launches.launch[i] == launches.launch[i - 1];
            model.graphLaunches += !again && model.stretchTimes.holds(p, launches.startNs[i]) ? 1U : 0U;
        }
    }
}

void noteGraphs(Model& model)
{
    std::int64_t unmatched = 0;
    for (std::size_t p = 0; p < model.communication.size(); ++p) {
        unmatched +=
            std::ranges::count_if(model.communication[p].unmatchedLaunches,
                                  [&](std::int64_t startNs) { return model.stretchTimes.holds(p, startNs); });
    }
    if (unmatched > 0) {
        model.issues.push_back(
            {trace::Issue::GraphCallsUnknown, unmatched,
             "launches of CUDA graphs whose communication kernels are not one for each "
             "recorded NCCL call of the capture; they count as communication, but who came "
             "last is not known"});
    }
}

/// Returns the error (ns) of the difference between two ranks that have only CUDA event times. For each of
/// the two it is the 95th percentile of the uncertainty of its times plus the drift of the clocks over two
/// seconds.
std::int64_t eventErrorNs(const Model& model)
{
    constexpr std::int64_t kDriftNs = 20'000;
    constexpr double kShare = 0.95;
    std::int64_t largest = 0;
    for (const Rank& rank : model.ranks) {
        if (rank.eventTimes) {
            const auto& errors = model.processOf(rank).eventTimes.uncertaintyNs;
            const std::int64_t error =
                values::quantile(std::vector<std::uint32_t>(errors.begin(), errors.end()), kShare);
            largest = std::max(largest, error + kDriftNs);
        }
    }
    return 2 * largest;
}

/// Ranks with only CUDA event times have no device steps, so that they have no step metrics.
void noteEventTimes(Model& model)
{
    model.eventErrorNs = eventErrorNs(model);
    const auto ranks = std::count_if(model.ranks.begin(), model.ranks.end(),
                                     [](const Rank& rank) { return rank.eventTimes; });
    if (ranks > 0 && model.hasDeviceData()) {
        model.issues.push_back(
            {trace::Issue::EventTimesMixed, ranks,
             "ranks have times of CUDA events alone, where others have those of CUPTI: collectives to which "
             "one of them came last are in no step, and it has no breakdown"});
    }
}

} // namespace

Model buildModel(trace::RunTrace trace, const ModelOptions& options)
{
    Model model;
    model.stepsBy = options.stepsBy;
    model.stretch = options.stretch;
    model.stretchTimes = options.stretch ? StretchTimes(*options.stretch) : StretchTimes();
    model.switches = options.switches;
    model.communicationKernels = inLowerCase(options.communicationKernels);
    model.trace = std::move(trace);
    collectIssues(model);
    model.workload = workloadOf(model.trace);
    const std::vector<trace::ProcessTrace>& processes = model.trace.processes;
    model.classes.resize(processes.size());
    model.launches.resize(processes.size());
    model.communication.resize(processes.size());
    trace::parallelFor(processes.size(), trace::coreCount(), [&](std::size_t i) {
        model.classes[i] = KernelClasses(processes[i], model.communicationKernels);
        model.launches[i] = LaunchIndex(processes[i].launches);
        model.communication[i] = findCommunicationWork(processes[i], model.classes[i]);
    });
    noteGraphs(model);
    noteUnusedNames(model);
    findRanks(model);
    noteEventTimes(model);
    findHosts(model);
    MatchResult matched =
        matchCollectives(model.trace, model.ranks, model.communication, model.worldSize, model.stretchTimes);
    model.operations = std::move(matched.operations);
    model.issues.insert(model.issues.end(), matched.issues.begin(), matched.issues.end());
    const auto matchedBy = [&model](UnequalEnds unequal) {
        return matchMessages(model.trace, model.ranks, model.communication, unequal);
    };
    const bool oneClock = model.hosts.size() < 2;
    model.messages = matchedBy(oneClock ? UnequalEnds::ByTime : UnequalEnds::LeaveOut);
    alignClocks(model, options.clocks);
    if (!oneClock) {
        model.messages = matchedBy(UnequalEnds::ByTime);
    }
    findSteps(model);
    chooseSteps(model);
    countGraphLaunches(model);
    model.layout = options.parallel.isGiven() ? givenLayout(model.ranks, model.worldSize, options.parallel)
                                              : findLayout(model);
    return model;
}

} // namespace ringside::model
