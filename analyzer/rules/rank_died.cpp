// SPDX-License-Identifier: Apache-2.0
// Processes were killed, crashed, or ended with another code than 0. The first
// of them is the one to look at, where that is known; the others often only follow it. Asks the same as
// `ringside hang`.
#include "hang/first_to_die.h"
#include "hang/rank_report.h"
#include "rules/shared/support.h"

#include <signal.h>
#include <sys/wait.h>

#include <cctype>

namespace ringside::rules::rule_rank_died {
namespace {

/// With what it is known of their lives alone, so that a run without deaths costs nothing.
std::vector<hang::ProcessNow> livesOf(const model::Model& run)
{
    std::vector<hang::ProcessNow> lives;
    for (const model::Rank& rank : run.ranks) {
        hang::ProcessNow& now = lives.emplace_back();
        now.life = hang::lifeInTrace(run.processOf(rank));
    }
    return lives;
}

/// As launchers, schedulers and people end a job: then it did not fail.
bool wasTold(const hang::RankReport& rank)
{
    constexpr std::array kOrders{SIGTERM, SIGINT, SIGHUP};
    return rank.waitStatus && WIFSIGNALED(*rank.waitStatus) &&
           std::ranges::find(kOrders, WTERMSIG(*rank.waitStatus)) != kOrders.end();
}

/// Several ended with one code, and no other rank is left: what a job that ran to its end says with it is its
/// own affair. Of a single rank nobody can tell that from a failure.
bool allFailedAlike(const std::vector<hang::RankReport>& ranks)
{
    return ranks.size() > 1 && std::ranges::all_of(ranks, [&](const hang::RankReport& rank) {
               return rank.life == hang::Life::Failed && rank.waitStatus == ranks.front().waitStatus;
           });
}

/// `first`: those to look at.
std::string adviceFor(const std::vector<std::int64_t>& first, const std::vector<hang::RankReport>& ranks)
{
    const bool byThemselves = std::ranges::all_of(ranks, [&](const hang::RankReport& rank) {
        return rank.life == hang::Life::Failed || std::ranges::find(first, rank.rank) == first.end();
    });
    const std::string log = "Look into the log of " + hang::rankList(first);
    if (byThemselves) {
        return log + ": a program that ends with a code says why itself, most often by an exception.";
    }
    return log +
           fmt::format(
               " and at `dmesg` on {} (out of memory, Xid, segmentation fault): others often only follow the "
               "first.",
               first.size() == 1 ? "its host" : "their hosts");
}

Finding describe(const Context& context, const std::vector<hang::RankReport>& ranks)
{
    const auto first = hang::firstToDie(context.run, ranks);
    Finding finding;
    finding.broken = first && !wasTold(ranks[first->rank]) && !allFailedAlike(ranks);
    finding.severity = finding.broken ? Severity::Problem : Severity::Info;
    finding.limit = Limit::Death;
    finding.title = hang::diedSentence(ranks, first);
    finding.title.front() = static_cast<char>(std::toupper(finding.title.front()));
    double died = 0;
    for (const hang::RankReport& rank : ranks) {
        died += hang::isDeath(rank.life) ? 1 : 0;
        if (hang::isDeath(rank.life) && (!first || rank.rank == ranks[first->rank].rank)) {
            finding.ranks.push_back(rank.rank);
            finding.evidence.push_back({rank.rank, rank.lastSignNs, rank.goneNs.value_or(rank.lastSignNs),
                                        rank.goneNs ? "its last sign of life, until it was seen to be gone"
                                                    : "its last sign of life"});
        }
    }
    finding.figures = {{"ranks_that_died", Unit::Count, died, 0}};
    finding.advice = adviceFor(finding.ranks, ranks) + " " +
                     fmt::format("`ringside hang {}` shows what each did last.",
                                 context.run.trace.path.filename().string());
    return finding;
}

Outcome run(const Context& context)
{
    if (context.run.ranks.empty()) {
        return NotApplicable{"needs a trace of at least one rank"};
    }
    const std::vector<hang::ProcessNow> lives = livesOf(context.run);
    const auto isGone = [](const hang::ProcessNow& now) { return hang::isDeath(now.life); };
    if (std::none_of(lives.begin(), lives.end(), isGone)) {
        return std::vector<Finding>{};
    }
    std::vector<hang::RankReport> ranks;
    for (std::size_t i = 0; i < lives.size(); ++i) {
        ranks.push_back(hang::reportRank(context.run, i, lives[i]));
    }
    return std::vector<Finding>{describe(context, ranks)};
}

} // namespace

RINGSIDE_RULE(
    rank_died, .title = "A rank died", .needs = "host", .options = {}, .run = run,
    .help = "Ranks whose processes ended with another code than 0, or without closing their traces, unless "
            "they ended with code 0 or became another program: by _exit or exec, or with a full disk. Which "
            "was the first is known where it said so itself, `ringside record` saw them end, or their last "
            "signs of life lie far apart. A problem, unless the first was told to end (SIGTERM, SIGINT, "
            "SIGHUP) or is not known, or all ended with one code: jobs are ended like that, too.");

} // namespace ringside::rules::rule_rank_died
