// SPDX-License-Identifier: Apache-2.0
// Reports that the recorder's watchdog saw no progress on ranks, for how long, and whether it ended. Rules
// collective_missing_rank and collective_mismatch report which collective and which ranks.
#include "rules/shared/stuck.h"

namespace ringside::rules::rule_hang {
namespace {

constexpr Option kOptions[] = {
    {"min_s", 1, "report times without progress from this length, seconds"},
};

struct Stall {
    const trace::HangRow* row = nullptr;
    model::Interval local;
};

/// Returns the longest stall of a process.
std::optional<Stall> longestOf(const trace::ProcessTrace& process)
{
    std::optional<Stall> longest;
    for (const trace::HangRow& row : process.hangs) {
        const std::int64_t end = row.endedNs.value_or(process.process.endNs.value_or(row.noticedNs));
        const Stall stall{&row, {row.sinceNs, std::max(end, row.sinceNs)}};
        if (!longest || stall.local.length() > longest->local.length()) {
            longest = stall;
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
        const std::optional<Stall> stall = longestOf(context.run.processOf(rank));
        if (!stall || static_cast<double>(stall->local.length()) < context.option("min_s") * 1e9) {
            continue;
        }
        finding.ranks.push_back(rank.rank);
        finding.evidence.push_back(evidence(rank, stall->local, stall->row->reason));
        reason = stall->local.length() > longestNs ? stall->row->reason : reason;
        longestNs = std::max(longestNs, stall->local.length());
        ended = ended && (stall->row->endedNs || hang::endedNormally(context.run.processOf(rank)));
    }
    if (finding.ranks.empty()) {
        return std::vector<Finding>{};
    }
    finding.broken = !ended;
    finding.severity = ended ? Severity::Warning : Severity::Problem;
    finding.limit = ended ? Limit::LateRank : Limit::Hang;
    finding.title = fmt::format("No progress on {} for up to {}{}: {}", hang::rankList(finding.ranks),
                                hang::duration(longestNs), ended ? ", then it went on" : "", reason);
    finding.figures = {
        {"no_progress_ns", Unit::Ns, static_cast<double>(longestNs), context.option("min_s") * 1e9}};
    finding.advice =
        fmt::format("`ringside hang {}` shows which collective waits for which ranks, and their stacks. If a "
                    "checkpoint or an evaluation takes that long by design, raise RINGSIDE_HANG_TIMEOUT.",
                    context.run.trace.path.filename().string());
    finding.settings = {"RINGSIDE_HANG_TIMEOUT"};
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(hang, .title = "Ranks made no progress", .needs = "host", .options = kOptions, .run = run,
              .help = "Calls that did not return, or no collective, for longer than RINGSIDE_HANG_TIMEOUT "
                      "(default 300 s), as the recorder's watchdog noted. Its cost is not estimated, because "
                      "it is not part of the analyzed steps.");

} // namespace ringside::rules::rule_hang
