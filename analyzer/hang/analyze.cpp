// SPDX-License-Identifier: Apache-2.0
// Finds the verdict: which ranks wait for which, or which died first. No rank is named as the cause if
// nothing is stuck.
#include "hang/confidence.h"
#include "hang/find_stuck.h"
#include "hang/first_to_die.h"
#include "hang/messages.h"
#include "hang/rank_report.h"
#include "hang/verdict_text.h"
#include "hang/wait_graph.h"
#include "model/build_model.h"
#include "model/steps.h"
#include "words/hang_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace ringside::hang {
namespace {

namespace text = words::hang_verdict;
using words::say;

/// A dump of another tool has calls without times: only the end of its list can be compared.
bool isUntimed(const trace::ProcessTrace& process)
{
    return process.clockSamples.empty() && !process.process.endNs && !process.collectiveCalls.empty() &&
           lastSignOfLife(process) == 0;
}

/// Returns how long no thread of the rank has entered a call or returned from one.
std::int64_t quietNs(const RankReport& rank)
{
    std::int64_t quiet = std::numeric_limits<std::int64_t>::max();
    for (const ThreadReport& thread : rank.threads) {
        quiet = std::min(quiet, thread.forNs);
    }
    return rank.threads.empty() ? 0 : quiet;
}

RankTimes timesOf(const trace::ProcessTrace& process, const RankReport& rank, const ProcessNow& now,
                  std::int64_t stuckAfterNs)
{
    RankTimes times;
    times.untilNs = countsUntil(process, now);
    const bool ended = rank.life == Life::Closed || isDeath(rank.life);
    times.untimed = isUntimed(process);
    times.openHang = rank.hang.has_value() || times.untimed || (ended && abortedCommunicator(process));
    // The process's own limit may be shorter than this one.
    const std::int64_t noticedNs = rank.hang ? rank.hang->noticedNs - rank.hang->sinceNs : stuckAfterNs;
    const std::int64_t patienceNs = std::min(stuckAfterNs, noticedNs);
    times.inCall = rank.life != Life::Closed && !rank.threads.empty() &&
                   !rank.threads.front().function.empty() && rank.threads.front().forNs >= patienceNs;
    times.waits = times.inCall || (times.openHang && quietNs(rank) >= patienceNs);
    return times;
}

std::vector<RankTimes> timesOf(const model::Model& model, const Report& report,
                               const std::vector<ProcessNow>& now, std::int64_t stuckAfterNs)
{
    std::vector<RankTimes> times;
    for (std::size_t i = 0; i < model.ranks.size(); ++i) {
        const model::Rank& rank = model.ranks[i];
        times.push_back(timesOf(model.processOf(rank), report.ranks[i], now[rank.process], stuckAfterNs));
    }
    return times;
}

/// If ranks wait although all issued the same calls, returns the latest call that is common to all members of
/// its communicator. Returns null otherwise.
std::optional<StuckCollective> waitingAlike(const model::Model& model, const std::vector<Group>& groups,
                                            const std::vector<RankTimes>& times)
{
    const bool any = std::any_of(times.begin(), times.end(), [](const RankTimes& t) { return t.waits; });
    std::optional<StuckCollective> latest;
    for (const Group& group : groups) {
        auto last = any ? lastCommonCall(model, group, times) : std::nullopt;
        if (last && (!latest || last->waitedNs < latest->waitedNs)) {
            latest = std::move(last);
        }
    }
    return latest;
}

/// Returns whether processes died before any hang was noticed: then the first death matters.
bool diedBeforeAnyHang(const Report& report)
{
    const auto isGone = [](const RankReport& rank) { return isDeath(rank.life); };
    if (report.diedFirst) {
        return !reportOf(report, *report.diedFirst)->hang;
    }
    return std::any_of(report.ranks.begin(), report.ranks.end(), isGone) &&
           std::none_of(report.ranks.begin(), report.ranks.end(),
                        [](const RankReport& rank) { return rank.hang.has_value(); });
}

bool isUntimed(const model::Model& model)
{
    return std::any_of(model.ranks.begin(), model.ranks.end(),
                       [&](const model::Rank& rank) { return isUntimed(model.processOf(rank)); });
}

/// Explains which communicators were left out of the comparison.
void noteIncomparable(Report& report, const std::vector<Group>& groups)
{
    for (const Group& group : groups) {
        if (!group.isComparable() && !canPairMessages(group)) {
            const std::string name = group.name.empty() ? fmt::format("{:016x}", group.hash) : group.name;
            report.issues.push_back({trace::Issue::HangNotCompared, 1,
                                     "communicator " + name +
                                         " has sends and receives, and not all calls of its ranks are "
                                         "recorded: they cannot be paired"});
        }
    }
}

/// Returns what the calls by which an origin is found show.
Kind kindOf(const Report& report, const Origin& origin)
{
    const StuckCollective& last = report.collectives[origin.chain.back()];
    return !last.different.empty() && !origin.circle ? Kind::Mismatch
           : !last.missing.empty()                   ? Kind::Missing
                                                     : Kind::Waiting;
}

/// The verdict is the first origin, as the graph of the waits shows it.
void judgeStuck(Report& report)
{
    report.origins = originsOf(report.collectives);
    if (report.origins.empty()) {
        report.kind = Kind::Waiting;
        report.open = true;
        const auto lost =
            std::ranges::find_if(report.collectives, [](const auto& each) { return !each.lost.empty(); });
        report.summary = openText(lost != report.collectives.end() ? *lost : report.collectives.front());
        return;
    }
    report.kind = kindOf(report, report.origins.front());
    report.summary = originText(report, report.origins.front());
}

/// Collectives of two communicators that ranks issued in different orders: these ranks wait for each other.
void nameCircle(Report& report, const OtherOrder& other)
{
    Origin origin;
    origin.circle = true;
    origin.chain = {0, 1};
    origin.ranks = other.before;
    origin.ranks.insert(origin.ranks.end(), other.behind.begin(), other.behind.end());
    std::ranges::sort(origin.ranks);
    origin.sides = {other.behind, other.before};
    report.origins = {std::move(origin)};
}

/// Returns whether ranks died that waited for one that had ended normally before: it is the origin, because
/// what they waited for could not happen any more.
bool waitedForOneThatEnded(const Report& report, const std::vector<Origin>& origins)
{
    return !origins.empty() && !origins.front().circle &&
           std::ranges::all_of(origins.front().ranks, [&](std::int64_t rank) {
               const RankReport* const of = reportOf(report, rank);
               return of != nullptr && of->life == Life::Closed;
           });
}

/// Of ranks that died at about the same time, returns the one that all others waited for. Null if there is
/// none.
std::optional<std::size_t> awaitedAmongDead(const Report& report, const std::vector<Origin>& origins)
{
    if (origins.size() != 1 || origins.front().ranks.size() != 1) {
        return std::nullopt;
    }
    const auto dead =
        std::ranges::count_if(report.ranks, [](const RankReport& rank) { return isDeath(rank.life); });
    const auto named = std::ranges::find(report.ranks, origins.front().ranks.front(), &RankReport::rank);
    const bool all = named != report.ranks.end() && isDeath(named->life) &&
                     origins.front().waiting == static_cast<std::size_t>(dead) - 1;
    return all ? std::optional<std::size_t>(named - report.ranks.begin()) : std::nullopt;
}

/// Whether a GPU finished the call while the ranks that seem to be missing lived: then they had issued it,
/// and their records of it are lost. A kernel that ended later may have ended because one of them died. Where
/// nothing ties the clocks, it may be either, so that nobody is said to have been waited for.
bool mayBeFinished(const Report& report, const model::Model& model, const StuckCollective& stuck)
{
    const auto errorNs = model.hosts.size() == 1 ? std::optional<std::int64_t>(0) : model.clockErrorNs();
    return stuck.endedOnGpuNs && std::ranges::all_of(stuck.missing, [&](std::int64_t missing) {
               const RankReport* const rank = reportOf(report, missing);
               return rank != nullptr &&
                      (!errorNs || *stuck.endedOnGpuNs < model::addCapped(earliestEndNs(*rank), *errorNs));
           });
}

/// Processes died, and no rank waited for so long that it is a hang. What they waited for, however short,
/// tells who was the first where their ends do not.
void judgeDeaths(Report& report, const model::Model& model, std::optional<FirstToDie> first,
                 std::vector<StuckCollective> waits)
{
    std::erase_if(waits, [&](const StuckCollective& stuck) { return mayBeFinished(report, model, stuck); });
    const std::vector<Origin> origins = originsOf(waits);
    if (waitedForOneThatEnded(report, origins)) {
        report.collectives = std::move(waits);
        judgeStuck(report);
        return;
    }
    report.kind = Kind::Died;
    if (const auto awaited = first ? std::nullopt : awaitedAmongDead(report, origins)) {
        first = FirstToDie{.rank = *awaited, .beforeNs = std::nullopt, .alone = false, .awaited = true};
        report.diedFirst = report.ranks[*awaited].rank;
        report.firstByWait = true;
        report.collectives = std::move(waits);
    }
    report.summary = diedText(report.ranks, first);
}

/// Of ranks that issued the same and do not go on, those that are stopped or died are the origin.
void nameStanding(Report& report)
{
    Origin origin;
    origin.chain = {0};
    for (const Arrived& arrived : report.collectives.front().arrived) {
        const RankReport* const rank = reportOf(report, arrived.rank);
        if (rank != nullptr && (rank->life == Life::Stopped || isDeath(rank->life))) {
            origin.ranks.push_back(arrived.rank);
        } else {
            ++origin.waiting;
        }
    }
    if (!origin.ranks.empty() && origin.waiting > 0) {
        report.origins = {std::move(origin)};
    }
}

void judge(Report& report, const model::Model& model, const std::vector<Group>& groups,
           const std::vector<RankTimes>& times, const Options& options)
{
    const auto lives = [&report](Life life) {
        return std::count_if(report.ranks.begin(), report.ranks.end(),
                             [life](const RankReport& rank) { return rank.life == life; });
    };
    const bool wentOn = lives(Life::Closed) == std::ssize(report.ranks);
    report.collectives = findStuck(model, groups, times, wentOn, options.stuckAfterNs);
    const auto first = firstToDie(model, report.ranks);
    report.diedFirst = first ? std::optional(report.ranks[first->rank].rank) : std::nullopt;
    noteIncomparable(report, groups);
    if (!report.collectives.empty()) {
        judgeStuck(report);
        return;
    }
    auto last = wentOn || diedBeforeAnyHang(report) ? std::nullopt : waitingAlike(model, groups, times);
    if (last) {
        report.kind = Kind::Waiting;
        const auto other = otherOrderThan(*last, model, groups, times);
        report.summary = waitingText(report, *last, other);
        report.collectives.push_back(std::move(*last));
        if (other) {
            report.collectives.push_back(other->call);
            nameCircle(report, *other);
        }
        nameStanding(report);
        return;
    }
    if (lives(Life::Gone) + lives(Life::Failed) > 0) {
        judgeDeaths(report, model, first, findStuck(model, groups, times, wentOn, 0));
        return;
    }
    if (groups.empty() && !wentOn && !model.operations.empty()) {
        report.summary = text::incomplete;
        report.open = true;
        return;
    }
    report.open = !wentOn && isUntimed(model);
    report.summary = wentOn        ? words::Text(text::all_ended)
                     : report.open ? words::Text(text::untimed)
                                   : say(text::nothing, {{"time", options.stuckAfterNs}});
}

} // namespace

std::vector<StuckCollective> stuckCollectives(const model::Model& model, const Options& options)
{
    const std::vector<ProcessNow> now(model.trace.processes.size());
    Report report;
    for (std::size_t rank = 0; rank < model.ranks.size(); ++rank) {
        report.ranks.push_back(reportRank(model, rank, now[model.ranks[rank].process]));
    }
    return findStuck(model, issuedCalls(model), timesOf(model, report, now, options.stuckAfterNs), false,
                     options.stuckAfterNs);
}

Work originWork(const Report& report)
{
    constexpr double kWorks = 0.5;                      // of a CPU: what waits for something uses far less
    constexpr std::int64_t kLongCallNs = 2'000'000'000; // an evaluation is in calls, but in none for long
    if (report.origins.empty() || report.origins.front().circle || report.kind != Kind::Missing) {
        return Work::None;
    }
    Work work = Work::MayTurnInALoop;
    for (const std::int64_t rank : report.origins.front().ranks) {
        const RankReport* const of = reportOf(report, rank);
        const bool works = of != nullptr && of->life == Life::Running &&
                           (of->cpuShare.value_or(0) >= kWorks || of->storage) &&
                           std::ranges::none_of(of->threads, [](const ThreadReport& thread) {
                               return !thread.function.empty() && thread.forNs >= kLongCallNs;
                           });
        if (!works) {
            return Work::None;
        }
        work = of->storage && of->storage->use.moves ? Work::MovesData : work;
    }
    return work;
}

Report analyze(const model::Model& model, const std::vector<ProcessNow>& now, const Options& options)
{
    Report report;
    report.path = model.trace.path;
    report.worldSize = model.worldSize;
    report.emulated = model.emulated;
    // Which collectives some ranks lack is what the verdict says itself.
    std::ranges::copy_if(model.issues, std::back_inserter(report.issues), [](const trace::IssueRow& issue) {
        return !issue.is(trace::Issue::CollectiveIncomplete);
    });
    for (std::size_t rank = 0; rank < model.ranks.size(); ++rank) {
        report.ranks.push_back(reportRank(model, rank, now[model.ranks[rank].process]));
    }
    if (report.ranks.empty()) {
        report.summary = text::no_rank;
        report.open = true;
        return report;
    }
    if (std::ranges::all_of(model.ranks, [&](const auto& rank) { return isWindow(model.processOf(rank)); })) {
        report.summary = text::windows;
        report.open = true;
        return report;
    }
    judge(report, model, issuedCalls(model), timesOf(model, report, now, options.stuckAfterNs), options);
    weigh(report);
    return report;
}

Report analyze(trace::RunTrace run, const std::vector<ProcessNow>& now, const Options& options)
{
    const bool marked = std::ranges::any_of(
        run.processes, [](const auto& process) { return !model::markedSteps(process).empty(); });
    model::ModelOptions without; // steps that nobody marked: users do not know their numbers
    without.stepsBy.nothing = !marked;
    return analyze(model::buildModel(std::move(run), without), now, options);
}

Report analyzeRecorded(const model::Model& model)
{
    std::vector<ProcessNow> now;
    for (const trace::ProcessTrace& process : model.trace.processes) {
        now.push_back({lifeInTrace(process), std::nullopt, false});
    }
    return analyze(model, now, {});
}

} // namespace ringside::hang
