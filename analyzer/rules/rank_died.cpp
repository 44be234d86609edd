// SPDX-License-Identifier: Apache-2.0
// Finds processes that were killed, crashed, or ended with a code other than 0. The first one is the one to
// examine if it is known, because the others often only follow it. It uses the analysis of `ringside hang`.
#include "words/rank_died.h"

#include "hang/first_to_die.h"
#include "hang/rank_report.h"
#include "rules/shared/support.h"

#include <signal.h>
#include <sys/wait.h>

#include <cctype>

namespace ringside::rules::rule_rank_died {
namespace {

namespace text = words::rank_died;

/// Returns the state of each process by its trace alone, so that a run without deaths costs nothing.
std::vector<hang::ProcessNow> processesOf(const model::Model& run)
{
    std::vector<hang::ProcessNow> processes;
    for (const model::Rank& rank : run.ranks) {
        hang::ProcessNow& now = processes.emplace_back();
        now.life = hang::lifeInTrace(run.processOf(rank));
    }
    return processes;
}

/// Returns true if the process was ended by a signal that launchers, schedulers and users send to end a job.
/// Then it did not fail.
bool wasStopped(const hang::RankReport& rank)
{
    constexpr std::array kStopSignals{SIGTERM, SIGINT, SIGHUP};
    return rank.waitStatus && WIFSIGNALED(*rank.waitStatus) &&
           std::ranges::find(kStopSignals, WTERMSIG(*rank.waitStatus)) != kStopSignals.end();
}

/// Returns true if several ranks ended with the same code and none is left. A job that ran to its end may use
/// any exit code. For a single rank this cannot be distinguished from a failure.
bool allFailedAlike(const std::vector<hang::RankReport>& ranks)
{
    return ranks.size() > 1 && std::ranges::all_of(ranks, [&](const hang::RankReport& rank) {
               return rank.life == hang::Life::Failed && rank.waitStatus == ranks.front().waitStatus;
           });
}

/// `first` are the ranks that died first.
words::Text adviceFor(const Context& context, const std::vector<std::int64_t>& first,
                      const std::vector<hang::RankReport>& ranks)
{
    const bool byThemselves = std::ranges::all_of(ranks, [&](const hang::RankReport& rank) {
        return rank.life == hang::Life::Failed || std::ranges::find(first, rank.rank) == first.end();
    });
    return say(text::remedy,
               {{"ranks", first},
                {"why", byThemselves ? words::Text(text::exited) : say(text::killed, {{"ranks", first}})},
                {"trace", context.run.trace.path.filename().string()}});
}

Finding describe(const Context& context, const std::vector<hang::RankReport>& ranks)
{
    const auto first = hang::firstToDie(context.run, ranks);
    Finding finding;
    finding.broken = first && !wasStopped(ranks[first->rank]) && !allFailedAlike(ranks);
    finding.severity = finding.broken ? Severity::Problem : Severity::Info;
    finding.limit = Limit::Death;
    finding.title = say(text::title, {{"sentence", hang::diedText(ranks, first)}});
    double died = 0;
    for (const hang::RankReport& rank : ranks) {
        died += hang::isDeath(rank.life) ? 1 : 0;
        if (hang::isDeath(rank.life) && (!first || rank.rank == ranks[first->rank].rank)) {
            finding.ranks.push_back(rank.rank);
            finding.evidence.push_back({rank.rank, rank.lastSignNs, rank.goneNs.value_or(rank.lastSignNs),
                                        rank.goneNs ? text::gone : text::last_sign});
        }
    }
    finding.figures = {{"ranks_that_died", Unit::Count, died, 0}};
    finding.advice = adviceFor(context, finding.ranks, ranks);
    return finding;
}

Outcome run(const Context& context)
{
    if (context.run.ranks.empty()) {
        return NotApplicable{text::no_rank};
    }
    const std::vector<hang::ProcessNow> processes = processesOf(context.run);
    const auto isGone = [](const hang::ProcessNow& now) { return hang::isDeath(now.life); };
    if (std::none_of(processes.begin(), processes.end(), isGone)) {
        return std::vector<Finding>{};
    }
    std::vector<hang::RankReport> ranks;
    for (std::size_t i = 0; i < processes.size(); ++i) {
        ranks.push_back(hang::reportRank(context.run, i, processes[i]));
    }
    return std::vector<Finding>{describe(context, ranks)};
}

} // namespace

RINGSIDE_RULE(rank_died, .title = text::heading, .needs = {{"host"}}, .options = {}, .run = run,
              .help = text::help);

} // namespace ringside::rules::rule_rank_died
