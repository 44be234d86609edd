// SPDX-License-Identifier: Apache-2.0
// Finds collectives that some ranks never called while the others wait in them. Hosts run ahead of GPUs, so
// the rule uses the calls, not the kernels, and only if the wait was long or the watchdog reported it.
#include "words/collective_missing_rank.h"

#include "hang/rank_report.h"
#include "rules/shared/stuck.h"

namespace ringside::rules::rule_collective_missing_rank {
namespace {

namespace text = words::collective_missing_rank;

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
words::Text lastSeen(const Context& context, std::int64_t number)
{
    for (std::size_t i = 0; i < context.run.ranks.size(); ++i) {
        if (context.run.ranks[i].rank != number) {
            continue;
        }
        const hang::RankReport rank = hang::reportRank(context.run, i, {});
        if (!rank.stack.empty()) {
            return say(text::stack, {{"thread", rank.stackThread}, {"frame", tellingFrame(rank.stack)}});
        }
        if (!rank.threads.empty()) {
            const hang::ThreadReport& thread = rank.threads.front();
            constexpr std::int64_t kShownNs = 1'000'000; // less reads as 0 ms
            if (thread.function.empty() && thread.forNs < kShownNs) {
                return say(text::last_call_at_end, {{"call", thread.lastCall}});
            }
            return thread.function.empty()
                       ? say(text::last_call, {{"call", thread.lastCall}, {"before", thread.forNs}})
                       : say(text::in_call, {{"function", thread.function}, {"time", thread.forNs}});
        }
    }
    return text::not_known;
}

Finding describe(const Context& context, const hang::StuckCollective& stuck)
{
    Finding finding;
    finding.severity = Severity::Problem;
    finding.limit = Limit::Hang;
    finding.broken = true;
    finding.ranks = stuck.missing;
    finding.title = say(text::title, {{"collective", nameOf(stuck)},
                                      {"ranks", stuck.missing},
                                      {"last_seen", lastSeen(context, stuck.missing.front())}});
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
        say(text::remedy, {{"ranks", stuck.missing}, {"run", context.run.trace.path.filename().string()}});
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

RINGSIDE_RULE(collective_missing_rank, .title = text::heading, .needs = {{"host"}}, .options = kOptions,
              .run = run, .help = text::help);

} // namespace ringside::rules::rule_collective_missing_rank
