// SPDX-License-Identifier: Apache-2.0
// The verdict: who waits for whom, or who died first, and nothing where nothing is stuck.
#include "hang/find_stuck.h"
#include "hang/rank_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ringside::hang {
namespace {

/// The drain thread reads the clocks every 250 ms: ends that lie closer have no order.
constexpr std::int64_t kSignOfLifeNs = 500'000'000;

std::vector<RankTimes> timesOf(const model::Model& model, const std::vector<ProcessNow>& now)
{
    std::vector<RankTimes> times;
    for (const model::Rank& rank : model.ranks) {
        const trace::ProcessTrace& process = model.processOf(rank);
        times.push_back({countsUntil(process, now[rank.process]), openHang(process).has_value()});
    }
    return times;
}

const RankReport* find(const Report& report, std::int64_t rank)
{
    const auto found = std::find_if(report.ranks.begin(), report.ranks.end(),
                                    [rank](const RankReport& each) { return each.rank == rank; });
    return found != report.ranks.end() ? &*found : nullptr;
}

struct Fate {
    Life life;
    const char* one;
    const char* many;
};
constexpr std::array kFates{
    Fate{Life::Gone, "has died", "have died"},
    Fate{Life::Stopped, "is stopped by a signal or a debugger", "are stopped by signals or debuggers"},
    Fate{Life::Closed, "has ended normally", "have ended normally"}};

/// What became of all of these ranks alike; nothing for ranks that live, as far as is known.
std::string fateOf(const Report& report, const std::vector<std::int64_t>& ranks)
{
    for (const Fate& fate : kFates) {
        const bool all = !ranks.empty() && std::all_of(ranks.begin(), ranks.end(), [&](std::int64_t rank) {
            const RankReport* const of = find(report, rank);
            return of != nullptr && of->life == fate.life;
        });
        if (all) {
            return ranks.size() == 1 ? fate.one : fate.many;
        }
    }
    return {};
}

std::string nameOf(const StuckCollective& stuck)
{
    return fmt::format("{} #{} of communicator {}", stuck.call().function, stuck.order,
                       stuck.name.empty() ? fmt::format("{:016x}", stuck.communicator) : stuck.name);
}

std::vector<std::int64_t> ranksOf(const std::vector<Arrived>& arrived)
{
    std::vector<std::int64_t> ranks;
    for (const Arrived& each : arrived) {
        ranks.push_back(each.rank);
    }
    return ranks;
}

std::string missingSentence(const Report& report, const StuckCollective& stuck)
{
    const std::string fate = fateOf(report, stuck.missing);
    const char* const have = stuck.missing.size() == 1 ? "has" : "have";
    std::string text =
        fmt::format("{} waits for {}, which {} not issued it", nameOf(stuck), rankList(stuck.missing), have);
    text += fate.empty() ? "" : " and " + fate;
    return text + fmt::format("; {} issued it {} before", rankList(ranksOf(stuck.arrived)),
                              duration(stuck.waitedNs));
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

/// Who ended without closing its trace before all others gave their last sign of life; null: too close.
std::optional<std::int64_t> firstToDie(const std::vector<RankReport>& ranks)
{
    const RankReport* first = nullptr;
    for (const RankReport& rank : ranks) {
        if (rank.life == Life::Gone && (first == nullptr || rank.lastSignNs < first->lastSignNs)) {
            first = &rank;
        }
    }
    const bool clear =
        first != nullptr && std::all_of(ranks.begin(), ranks.end(), [first](const RankReport& rank) {
            return &rank == first || (rank.pid == first->pid && rank.host == first->host) ||
                   rank.lastSignNs >= first->lastSignNs + kSignOfLifeNs;
        });
    return clear ? std::optional(first->rank) : std::nullopt;
}

std::string diedSentence(const Report& report)
{
    std::vector<std::int64_t> gone;
    for (const RankReport& rank : report.ranks) {
        if (rank.life == Life::Gone) {
            gone.push_back(rank.rank);
        }
    }
    std::string text = fmt::format("{} ended without closing {}: killed, crashed or _exit", rankList(gone),
                                   gone.size() == 1 ? "its trace" : "their traces");
    if (report.diedFirst) {
        return fmt::format("{} was the first to end; {}", rankList({*report.diedFirst}), text);
    }
    return gone.size() == 1 ? text : text + "; which was first is not known, they lie too close";
}

/// All issued the same: does anybody wait all the same?
std::optional<StuckCollective> waitingAlike(const model::Model& model, const std::vector<Group>& groups,
                                            const std::vector<RankTimes>& times, const Report& report,
                                            std::int64_t stuckAfterNs)
{
    const bool inCall = std::any_of(report.ranks.begin(), report.ranks.end(), [&](const RankReport& rank) {
        return rank.life != Life::Closed && !rank.threads.empty() && !rank.threads.front().function.empty() &&
               rank.threads.front().forNs >= stuckAfterNs;
    });
    const bool noticed =
        std::any_of(times.begin(), times.end(), [](const RankTimes& t) { return t.openHang; });
    std::optional<StuckCollective> latest;
    for (const Group& group : groups) {
        auto last = inCall || noticed ? lastCommonCall(model, group, times) : std::nullopt;
        if (last && (!latest || last->waitedNs < latest->waitedNs)) {
            latest = std::move(last);
        }
    }
    return latest;
}

void judge(Report& report, const model::Model& model, const std::vector<Group>& groups,
           const std::vector<RankTimes>& times, const Options& options)
{
    const bool wentOn = std::all_of(report.ranks.begin(), report.ranks.end(),
                                    [](const RankReport& rank) { return rank.life == Life::Closed; });
    report.collectives = findStuck(model, groups, times, wentOn, options.stuckAfterNs);
    report.diedFirst = firstToDie(report.ranks);
    if (!report.collectives.empty()) {
        const StuckCollective& first = report.collectives.front();
        report.kind = first.different.empty() ? Kind::Missing : Kind::Mismatch;
        report.summary = first.different.empty() ? missingSentence(report, first) : mismatchSentence(first);
        return;
    }
    if (std::any_of(report.ranks.begin(), report.ranks.end(),
                    [](const RankReport& rank) { return rank.life == Life::Gone; })) {
        report.kind = Kind::Died;
        report.summary = diedSentence(report);
        return;
    }
    if (auto last = waitingAlike(model, groups, times, report, options.stuckAfterNs)) {
        report.kind = Kind::Waiting;
        report.summary = fmt::format("all recorded ranks issued the same collectives and do not go on; the "
                                     "last is {}, issued {} before",
                                     nameOf(*last), duration(last->waitedNs));
        report.collectives.push_back(std::move(*last));
        return;
    }
    report.summary = wentOn ? "nothing is stuck: all ranks ended normally"
                            : "nothing is stuck: no rank waits longer than " +
                                  duration(options.stuckAfterNs) + " for another in a collective";
}

} // namespace

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
        report.summary = "no rank is known: no process said its rank or made a communicator";
        return report;
    }
    judge(report, model, issuedCalls(model), timesOf(model, now), options);
    return report;
}

} // namespace ringside::hang
