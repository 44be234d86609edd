// SPDX-License-Identifier: Apache-2.0
// Finds collectives that some ranks never called while the others wait in them. Hosts run ahead of GPUs, so
// the rule uses the calls, not the kernels, and only if the wait was long or the watchdog reported it.
#include "hang/rank_report.h"
#include "rules/shared/stuck.h"

namespace ringside::rules::rule_collective_missing_rank {
namespace {

constexpr Option kOptions[] = {
    {"stuck_after_s", 10,
     "a rank is missing when the others have waited for this many seconds, or the watchdog reported it (as "
     "in `ringside hang`)"},
};

/// Returns the innermost frame that has a name: a wait in the C library has only an address.
const std::string& tellingFrame(const std::vector<std::string>& stack)
{
    const auto named = std::ranges::find_if(stack, [](const std::string& frame) {
        return !frame.starts_with("0x") && frame.find("(libc.so") == std::string::npos;
    });
    return named == stack.end() ? stack.front() : *named;
}

/// Returns what a missing rank was last doing: its stack, else the call it is in, else its last call.
std::string lastSeen(const Context& context, std::int64_t number)
{
    for (std::size_t i = 0; i < context.run.ranks.size(); ++i) {
        if (context.run.ranks[i].rank != number) {
            continue;
        }
        const hang::RankReport rank = hang::reportRank(context.run, i, {});
        if (!rank.stack.empty()) {
            return fmt::format("stack of {}: {}", rank.stackThread, tellingFrame(rank.stack));
        }
        if (!rank.threads.empty()) {
            const hang::ThreadReport& thread = rank.threads.front();
            return thread.function.empty() ? fmt::format("its last call was {}, {} before its trace ends",
                                                         thread.lastCall, hang::duration(thread.forNs))
                                           : fmt::format("it has been in {} for {}", thread.function,
                                                         hang::duration(thread.forNs));
        }
    }
    return "its last call is not known";
}

Finding describe(const Context& context, const hang::StuckCollective& stuck)
{
    Finding finding;
    finding.severity = Severity::Problem;
    finding.limit = Limit::Hang;
    finding.broken = true;
    finding.ranks = stuck.missing;
    finding.title = fmt::format("{} waits for {}, which did not issue it; {}", nameOf(stuck),
                                hang::rankList(stuck.missing), lastSeen(context, stuck.missing.front()));
    finding.figures = {{"missing_ranks", Unit::Count, static_cast<double>(stuck.missing.size()), 0}};
    if (stuck.waitedNs > 0) { // 0 if the trace ends with the call
        finding.figures.insert(finding.figures.begin(),
                               {"waited_ns", Unit::Ns, static_cast<double>(stuck.waitedNs),
                                context.option("stuck_after_s") * 1e9});
    }
    for (const hang::Arrived& part : stuck.arrived) {
        constexpr std::size_t kShown = 4;
        if (finding.evidence.size() < kShown) {
            finding.evidence.push_back(evidence(part));
        }
    }
    finding.advice =
        fmt::format("Find out what {} did instead: its log, `dmesg` on its host (out of memory, Xid), its "
                    "data. `ringside hang {}` shows every rank's last call and stack; recording with a "
                    "shorter RINGSIDE_HANG_TIMEOUT takes stacks of the running process.",
                    hang::rankList(stuck.missing), context.run.trace.path.filename().string());
    finding.settings = {"RINGSIDE_HANG_TIMEOUT"};
    return finding;
}

Outcome run(const Context& context)
{
    if (!collectivesOfSeveralRanks(context)) {
        return kNeedsCollectives;
    }
    const double seconds = std::clamp(context.option("stuck_after_s"), 0.0, 1e9);
    std::vector<Finding> findings;
    for (const hang::StuckCollective& stuck : stuckCollectives(context, {std::llround(seconds * 1e9)})) {
        if (stuck.different.empty() && !stuck.missing.empty()) {
            findings.push_back(describe(context, stuck));
        }
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(
    collective_missing_rank, .title = "A rank never came to a collective", .needs = "host",
    .options = kOptions, .run = run,
    .help =
        "The first collective of each communicator that some of its recorded members issued and others did "
        "not, if it lasted for stuck_after_s. Every case is a problem; its cost cannot be estimated.");

} // namespace ringside::rules::rule_collective_missing_rank
