// SPDX-License-Identifier: Apache-2.0
// Finds the verdict: which ranks wait for which, or which died first. No rank is named as the cause if
// nothing is stuck.
#include "hang/circle.h"
#include "hang/find_stuck.h"
#include "hang/first_to_die.h"
#include "hang/rank_report.h"
#include "model/build_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace ringside::hang {
namespace {

/// Shorter waits would be printed as 0 ms.
constexpr std::int64_t kShortestWaitNs = 1'000'000;

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
    times.openHang = rank.hang.has_value() || isUntimed(process);
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

const RankReport* find(const Report& report, std::int64_t rank)
{
    const auto found = std::find_if(report.ranks.begin(), report.ranks.end(),
                                    [rank](const RankReport& each) { return each.rank == rank; });
    return found != report.ranks.end() ? &*found : nullptr;
}

struct StateText {
    Life life;
    const char* one;
    const char* many;
};
constexpr std::array kFates{
    StateText{Life::Gone, "has died", "have died"}, StateText{Life::Failed, "has failed", "have failed"},
    StateText{Life::Stopped, "is stopped by a signal or a debugger", "are stopped by signals or debuggers"},
    StateText{Life::Closed, "has ended normally", "have ended normally"}};

/// Returns the common state of these ranks, or nothing if all of them live, as far as is known.
std::string stateOf(const Report& report, const std::vector<std::int64_t>& ranks)
{
    for (const StateText& state : kFates) {
        const bool all = !ranks.empty() && std::all_of(ranks.begin(), ranks.end(), [&](std::int64_t rank) {
            const RankReport* const of = find(report, rank);
            return of != nullptr && of->life == state.life;
        });
        if (all) {
            return ranks.size() == 1 ? state.one : state.many;
        }
    }
    return {};
}

/// Returns each state of dead or stopped ranks with its ranks; nothing about ranks that live.
std::string statesOf(const Report& report, const std::vector<std::int64_t>& ranks)
{
    std::string text;
    for (const StateText& state : kFates) {
        std::vector<std::int64_t> met;
        std::copy_if(ranks.begin(), ranks.end(), std::back_inserter(met), [&](std::int64_t rank) {
            const RankReport* const of = find(report, rank);
            return of != nullptr && of->life == state.life;
        });
        if (!met.empty()) {
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", rankList(met),
                                met.size() == 1 ? state.one : state.many);
        }
    }
    return text;
}

std::string nameOf(const StuckCollective& stuck)
{
    return fmt::format("{} {}#{}{} of communicator {}", stuck.call().function,
                       stuck.pointToPoint ? "(message " : "", stuck.order, stuck.pointToPoint ? ")" : "",
                       communicatorName(stuck));
}

std::vector<std::int64_t> ranksOf(const std::vector<Arrived>& arrived)
{
    std::vector<std::int64_t> ranks;
    for (const Arrived& each : arrived) {
        ranks.push_back(each.rank);
    }
    return ranks;
}

/// Returns nothing if the trace ends with the call: how long it waited then is unknown.
std::string beforeText(std::int64_t waitedNs)
{
    return waitedNs >= kShortestWaitNs ? fmt::format(" {} before", duration(waitedNs)) : "";
}

std::string missingSentence(const Report& report, const StuckCollective& stuck)
{
    const std::string state = stateOf(report, stuck.missing);
    const char* const have = stuck.missing.size() == 1 ? "has" : "have";
    std::string text =
        fmt::format("{} waits for {}, which {} not issued {}", nameOf(stuck), rankList(stuck.missing), have,
                    stuck.pointToPoint ? "its counterpart" : "it");
    text += state.empty() ? "" : " and " + state;
    return text +
           fmt::format("; {} issued it{}", rankList(ranksOf(stuck.arrived)), beforeText(stuck.waitedNs));
}

std::string circleSentence(const std::vector<const StuckCollective*>& circle)
{
    std::string text;
    for (const StuckCollective* const stuck : circle) {
        text += text.empty() ? "ranks wait for each other in a circle: " : "; ";
        text += fmt::format("{} in {} for {}", rankList(ranksOf(stuck->arrived)), nameOf(*stuck),
                            rankList(stuck->missing));
    }
    return text;
}

std::string waitingSentence(const Report& report, const StuckCollective& last,
                            const std::optional<OtherOrder>& other)
{
    const std::vector<std::int64_t> ranks = ranksOf(last.arrived);
    const std::string state = stateOf(report, ranks);
    const std::string some = state.empty() ? statesOf(report, ranks) : "";
    std::string text = fmt::format("all recorded ranks issued the same collectives and {}{}; the last is {}",
                                   state.empty() ? "do not go on" : "did not go on, and " + state + " since",
                                   some.empty() ? "" : ": " + some, nameOf(last));
    text +=
        last.waitedNs >= kShortestWaitNs ? fmt::format(", issued {} before", duration(last.waitedNs)) : "";
    if (last.notRecorded > 0) {
        text += fmt::format("; {} of its {} ranks left no trace: it may wait for {}", last.notRecorded,
                            last.size, last.notRecorded == 1 ? "that one" : "those");
    }
    if (other) {
        text += fmt::format(". {} issued {} before it, {} behind it: issued in different orders, "
                            "collectives of two communicators can wait for each other",
                            rankList(other->before), nameOf(other->call), rankList(other->behind));
    }
    return text;
}

std::string mismatchSentence(const StuckCollective& stuck)
{
    const auto other = std::find_if(stuck.arrived.begin(), stuck.arrived.end(), [&](const Arrived& each) {
        return each.rank == stuck.different.front();
    });
    const std::string difference = differenceOf(stuck.call(), other->call);
    if (difference == "function") {
        return fmt::format("{}: {} calls {} there", nameOf(stuck), rankList(stuck.different),
                           other->call.function);
    }
    return fmt::format("{}: {} calls it with another {}", nameOf(stuck), rankList(stuck.different),
                       difference);
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
        return !find(report, *report.diedFirst)->hang;
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
        if (!group.isComparable()) {
            const std::string name = group.name.empty() ? fmt::format("{:016x}", group.hash) : group.name;
            report.issues.push_back({trace::Issue::HangNotCompared, 1,
                                     "communicator " + name +
                                         " has sends and receives, and not all calls of its ranks are "
                                         "recorded: they cannot be paired"});
        }
    }
}

void judgeStuck(Report& report)
{
    const StuckCollective& first = report.collectives.front();
    if (!first.different.empty()) {
        report.kind = Kind::Mismatch;
        report.summary = mismatchSentence(first);
        return;
    }
    const auto circle = circleOf(report.collectives);
    report.kind = Kind::Missing;
    report.summary = circle.empty() ? missingSentence(report, first) : circleSentence(circle);
}

void judge(Report& report, const model::Model& model, const std::vector<Group>& groups,
           const std::vector<RankTimes>& times, const Options& options)
{
    const auto lives = [&report](Life life) {
        return std::count_if(report.ranks.begin(), report.ranks.end(),
                             [life](const RankReport& rank) { return rank.life == life; });
    };
    const bool wentOn = lives(Life::Closed) + lives(Life::Failed) == std::ssize(report.ranks);
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
        report.summary = waitingSentence(report, *last, other);
        report.collectives.push_back(std::move(*last));
        if (other) {
            report.collectives.push_back(other->call);
        }
        return;
    }
    if (lives(Life::Gone) + lives(Life::Failed) > 0) {
        report.kind = Kind::Died;
        report.summary = diedSentence(report.ranks, first);
        return;
    }
    if (groups.empty() && !wentOn && !model.operations.empty()) {
        report.summary = "unknown whether a rank is stuck: the traces do not hold all calls";
        return;
    }
    report.summary = wentOn ? "nothing is stuck: all ranks ended normally"
                     : isUntimed(model)
                         ? "all recorded ranks issued the same collectives; the trace holds no "
                           "times, so that it is unknown whether the last one ended"
                         : "nothing is stuck: no rank waits longer than " + duration(options.stuckAfterNs) +
                               " for another in a collective";
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

Report analyze(trace::RunTrace run, const std::vector<ProcessNow>& now, const Options& options)
{
    Report report;
    report.path = run.path;
    const model::Model model = model::buildModel(std::move(run));
    report.worldSize = model.worldSize;
    report.emulated = model.emulated;
    report.issues = model.issues;
    for (std::size_t rank = 0; rank < model.ranks.size(); ++rank) {
        report.ranks.push_back(reportRank(model, rank, now[model.ranks[rank].process]));
    }
    if (report.ranks.empty()) {
        report.summary = "no rank is known: no process reported its rank or created a communicator";
        return report;
    }
    if (std::ranges::all_of(model.ranks, [&](const auto& rank) { return isWindow(model.processOf(rank)); })) {
        report.summary = "unknown whether a rank was stuck: these are windows of a profiler, which "
                         "end before the job does. Use a run of `ringside record` or dumps of PyTorch's "
                         "flight recorder";
        return report;
    }
    judge(report, model, issuedCalls(model), timesOf(model, report, now, options.stuckAfterNs), options);
    return report;
}

} // namespace ringside::hang
