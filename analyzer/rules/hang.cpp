// SPDX-License-Identifier: Apache-2.0
// Reports that the recorder's watchdog saw no progress on ranks, for how long, and whether it ended. Rules
// collective_missing_rank and collective_mismatch report which collective and which ranks.
#include "words/hang.h"

#include "rules/shared/stuck.h"

namespace ringside::rules::rule_hang {
namespace {

namespace text = words::hang;

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
        return NotApplicable{text::no_rank};
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
        finding.evidence.push_back(
            evidence(rank, stall->local, say(text::reason, {{"reason", stall->row->reason}})));
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
    finding.title = say(text::title, {{"ranks", finding.ranks},
                                      {"time", longestNs},
                                      {"ended", ended ? text::ended : words::Text()},
                                      {"reason", reason}});
    finding.figures = {
        {"no_progress_ns", Unit::Ns, static_cast<double>(longestNs), context.option("min_s") * 1e9}};
    finding.advice = say(text::remedy, {{"run", context.run.trace.path.filename().string()}});
    finding.settings = {"RINGSIDE_HANG_TIMEOUT"};
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(hang, .title = text::heading, .needs = {{"host"}}, .options = kOptions, .run = run,
              .help = text::help);

} // namespace ringside::rules::rule_hang
