// SPDX-License-Identifier: Apache-2.0
#include "attach/verdict.h"

#include "values/number_runs.h"
#include "words/hang_verdict.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::attach {
namespace {

hang::RankReport rowOf(const StuckReport& report, const ProcessReport& of)
{
    constexpr double kNsOfSecond = 1e9;
    hang::RankReport rank;
    rank.rank = of.process.rank.value_or(-1);
    rank.host = report.host;
    rank.pid = of.process.pid;
    rank.life = isStopped(of.process) ? hang::Life::Stopped : hang::Life::Running;
    rank.stack = of.standing.stack;
    rank.stackThread = "the main thread";
    rank.stackNotes = of.standing.notes;
    if (!of.standing.place.empty()) {
        hang::ThreadReport thread;
        thread.function = of.standing.ncclCall.empty() ? of.standing.place : of.standing.ncclCall;
        thread.forNs = of.standing.stood ? static_cast<std::int64_t>(report.secondsWatched * kNsOfSecond) : 0;
        rank.threads.push_back(std::move(thread));
    }
    return rank;
}

/// Those that stand elsewhere than the others, else those that NCCL's RAS names, if each has a rank.
std::vector<hang::Origin> originsOf(const StuckReport& report)
{
    hang::Origin origin;
    for (const std::size_t index : report.lookFirst) {
        origin.ranks.push_back(report.processes[index].process.rank.value_or(-1));
    }
    if (origin.ranks.empty() && report.ras) {
        origin.ranks = report.ras->blamed;
    }
    std::ranges::sort(origin.ranks);
    const bool known = !origin.ranks.empty() && origin.ranks.front() >= 0;
    origin.waiting = static_cast<std::size_t>(std::ranges::count_if(report.processes, [&](const auto& each) {
        const auto& rank = each.process.rank;
        return !rank || std::ranges::find(origin.ranks, *rank) == origin.ranks.end();
    }));
    return known && origin.waiting > 0 ? std::vector{std::move(origin)} : std::vector<hang::Origin>();
}

/// RAS tells who is behind, and stacks where processes stand: they are two witnesses.
void hearRas(hang::Report& verdict, const StuckReport& report)
{
    hang::Witness ras = *report.ras;
    const bool names = ras.notAvailable.empty() && !ras.blamed.empty();
    if (names && !report.lookFirst.empty() && !verdict.origins.empty()) {
        const bool same = verdict.origins.front().ranks == ras.blamed;
        ras.agreement = same ? hang::Agreement::Agrees : hang::Agreement::Disagrees;
        verdict.confidence = same ? hang::Confidence::Medium : hang::Confidence::Low;
        ras.comparison = fmt::format("It {} the stacks: {} {} elsewhere than the others{}",
                                     same ? "agrees with" : "disagrees with",
                                     values::rankList(verdict.origins.front().ranks),
                                     verdict.origins.front().ranks.size() == 1 ? "stands" : "stand",
                                     same ? "."
                                          : ". Dumps of PyTorch's flight recorder decide it: they tell which "
                                            "collective each rank has come to.");
        verdict.reasons.push_back(
            words::say(same ? words::hang_verdict::witness_agrees : words::hang_verdict::witness_disagrees,
                       {{"witness", ras.title}}));
    } else if (names) {
        ras.comparison = "Stacks do not tell these ranks from the others.";
        verdict.reasons.push_back(words::say(words::hang_verdict::only_ras, {{"witness", ras.title}}));
    }
    verdict.witnesses.push_back(std::move(ras));
}

} // namespace

hang::Report verdictOf(const StuckReport& report)
{
    hang::Report verdict;
    verdict.path = report.host;
    verdict.summary = report.summary;
    for (const ProcessReport& each : report.processes) {
        verdict.ranks.push_back(rowOf(report, each));
    }
    verdict.worldSize = 0;
    verdict.confidence = hang::Confidence::Low;
    if (isStuck(report) || !report.lookFirst.empty()) {
        verdict.origins = originsOf(report);
        const bool names = !report.lookFirst.empty() || !verdict.origins.empty();
        verdict.kind = names ? hang::Kind::Missing : hang::Kind::Waiting;
        verdict.reasons.emplace_back(words::hang_verdict::only_stacks);
    }
    if (report.ras) {
        hearRas(verdict, report);
    }
    return verdict;
}

} // namespace ringside::attach
