// SPDX-License-Identifier: Apache-2.0
// The recorder's watchdog saw ranks make no progress. Which collective and who is missing say the two rules
// beside this one; this one says that it happened, how long, and whether it ended.
#include "rules/shared/stuck.h"

namespace ringside::rules::rule_hang {
namespace {

constexpr Option kOptions[] = {
    {"min_s", 1, "say nothing of shorter times without progress, seconds"},
};

struct Stand {
    const trace::HangRow* row = nullptr;
    model::Interval local;
};

/// The longest of a process.
std::optional<Stand> longestOf(const trace::ProcessTrace& process)
{
    std::optional<Stand> longest;
    for (const trace::HangRow& row : process.hangs) {
        const std::int64_t end = row.endedNs.value_or(process.process.endNs.value_or(row.noticedNs));
        const Stand stand{&row, {row.sinceNs, std::max(end, row.sinceNs)}};
        if (!longest || stand.local.length() > longest->local.length()) {
            longest = stand;
        }
    }
    return longest;
}

Outcome run(const Context& context)
{
    if (context.run.ranks.empty()) {
        return NotApplicable{"needs a trace of at least one rank"};
    }
    Finding finding;
    std::int64_t longestNs = 0;
    bool ended = true;
    std::string reason;
    for (const model::Rank& rank : context.run.ranks) {
        const std::optional<Stand> stand = longestOf(context.run.processOf(rank));
        if (!stand || static_cast<double>(stand->local.length()) < context.option("min_s") * 1e9) {
            continue;
        }
        finding.ranks.push_back(rank.rank);
        finding.evidence.push_back(evidence(rank, stand->local, stand->row->reason));
        reason = stand->local.length() > longestNs ? stand->row->reason : reason;
        longestNs = std::max(longestNs, stand->local.length());
        ended = ended && (stand->row->endedNs || hang::endedNormally(context.run.processOf(rank)));
    }
    if (finding.ranks.empty()) {
        return std::vector<Finding>{};
    }
    finding.broken = !ended;
    finding.severity = ended ? Severity::Warning : Severity::Problem;
    finding.limit = Limit::LateRank;
    finding.title = fmt::format("No progress on {} for up to {}{}: {}", hang::rankList(finding.ranks),
                                hang::duration(longestNs), ended ? ", then it went on" : "", reason);
    finding.figures = {
        {"no_progress_ns", Unit::Ns, static_cast<double>(longestNs), context.option("min_s") * 1e9}};
    finding.advice = fmt::format(
        "`ringside hang {}` says which collective waits for whom and shows stacks. If a checkpoint or an "
        "evaluation simply takes that long, raise RINGSIDE_HANG_TIMEOUT.",
        context.run.trace.path.filename().string());
    finding.settings = {"RINGSIDE_HANG_TIMEOUT"};
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(hang, .title = "Ranks made no progress", .needs = "host", .options = kOptions, .run = run,
              .help = "Calls that did not return, or no collective, for longer than RINGSIDE_HANG_TIMEOUT "
                      "(default 300 s), as the recorder's watchdog noted. Its cost is not estimated: it is "
                      "not a part of the steps that are analyzed.");

} // namespace ringside::rules::rule_hang
