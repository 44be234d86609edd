// SPDX-License-Identifier: Apache-2.0
// What the rules about RDMA ports share: their names, whether the job uses them, what counters gained and
// when, and which collectives were slow just then.
#pragma once
#include "metrics/links.h"
#include "rules/shared/support.h"

#include <algorithm>

namespace ringside::rules {

inline const NotApplicable kNeedsPorts{
    "needs samples of RDMA ports (tier sampled, source rdma): this run has none; the "
    "tier's reason says why"};

/// A rank's place in time, where the port's host has one.
void addEvidence(const Context& context, const metrics::Port& port, const model::Interval& span,
                 std::string what, Finding& finding);

/// "3.2 s into the run, in step 12": of its device where that is known, for it is the one that communicates.
[[nodiscard]] std::string momentText(const Context& context, const metrics::Port& port, std::int64_t timeNs);

/// What nobody's data goes through costs nobody time.
[[nodiscard]] Severity asUsed(const metrics::Port& port, Severity severity);

/// Whether the run's data went over RDMA, as far as its ports tell.
[[nodiscard]] bool isOverRdma(const Context& context);

/// rxe and siw do in software what adapters do, and lose packets that adapters would not.
[[nodiscard]] bool isSoftware(const metrics::Port& port);

[[nodiscard]] double minutesOf(const model::Interval& span);

/// What is wrong with a port that no recorded process has a queue pair on does not touch the run.
void mindUse(const metrics::Port& port, Finding& finding);

/// Judges every port on its own: whether it is measured, and by each of the judges, which give a finding or
/// nothing.
template <class IsMeasured, class... Judges>
[[nodiscard]] Outcome judgePorts(const Context& context, const IsMeasured& isMeasured,
                                 const Judges&... judges)
{
    std::vector<Finding> findings;
    bool measured = false;
    for (const metrics::Port& port : context.figures.ports) {
        measured = measured || isMeasured(port);
        const auto add = [&](std::optional<Finding> finding) {
            if (finding) {
                finding->limit = Limit::Link;
                finding->links = {port.label()};
                mindUse(port, *finding);
                findings.push_back(std::move(*finding));
            }
        };
        (add(judges(context, port)), ...);
    }
    return measured ? Outcome(std::move(findings)) : Outcome(kNeedsPorts);
}

/// "2 ports (host0 mlx5_0:1, host0 mlx5_1:1)"; at most three are named.
[[nodiscard]] std::string portsText(const std::vector<std::string>& names);

/// Collectives that took longer than twice the median of their kind and size.
struct SlowCollectives {
    std::size_t all = 0;                                ///< in the run
    std::size_t then = 0;                               ///< of these, while a counter moved
    std::int64_t excessNs = 0;                          ///< beyond their medians, of the latter together
    const metrics::ArrivedOperation* slowest = nullptr; ///< likewise
};
/// In order, those that touch each other as one: a counter may move at every reading of a long run.
[[nodiscard]] std::vector<model::Interval> merged(std::vector<model::Interval> spans);

/// Whether one of the merged spans overlaps it.
[[nodiscard]] bool overlapsAny(const std::vector<model::Interval>& spans, const model::Interval& other);
/// Joins a finding with the collectives that were slow while its counters moved: a sentence, a place to look
/// at, and what it cost a step.
void joinSlow(const Context& context, const metrics::Port& port, const std::vector<model::Interval>& spans,
              Finding& finding);

} // namespace ringside::rules
