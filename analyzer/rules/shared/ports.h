// SPDX-License-Identifier: Apache-2.0
// Helpers for rules about RDMA ports: their names, whether the job uses them, when counters increased, and
// which collectives were slow at those times.
#pragma once
#include "conditions/condition.h"
#include "metrics/links.h"
#include "rules/shared/support.h"
#include "words/ports.h"

#include <algorithm>

namespace ringside::rules {

inline const NotApplicable kNeedsPorts{words::ports::needs};

/// Adds the span as evidence on a rank of the port's host, if that host has a rank.
void addEvidence(const Context& context, const metrics::Port& port, const model::Interval& span,
                 words::Text what, Finding& finding);

/// Returns "3.2 s into the run, in step 12". The step is that of the device if it was measured, because the
/// device communicates.
[[nodiscard]] words::Text momentText(const Context& context, const metrics::Port& port, std::int64_t timeNs);

/// Lowers the severity to information if the port carried no data of the job.
[[nodiscard]] Severity severityIfUsed(const metrics::Port& port, Severity severity);

/// Returns true if an RDMA port carried data.
[[nodiscard]] bool isOverRdma(const Context& context);

/// Returns true for rxe and siw, which implement RDMA in software and lose packets that adapters would not
/// lose.
[[nodiscard]] bool isSoftware(const metrics::Port& port);

using conditions::minutesOf;

/// Lowers the severity to information, and says so in the title, if no recorded process has a queue pair on
/// the port.
void lowerSeverityIfUnused(const metrics::Port& port, Finding& finding);

/// What becomes of findings about a port on which no recorded process has a queue pair.
enum class IfUnused : std::uint8_t { Lower, Keep };

/// Checks every port. `isMeasured` says if the port was measured; each check returns a finding or null.
template <IfUnused ifUnused = IfUnused::Lower, class IsMeasured, class... Judges>
[[nodiscard]] Outcome checkPorts(const Context& context, const IsMeasured& isMeasured,
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
                if (ifUnused == IfUnused::Lower) {
                    lowerSeverityIfUnused(port, *finding);
                }
                findings.push_back(std::move(*finding));
            }
        };
        (add(judges(context, port)), ...);
    }
    return measured ? Outcome(std::move(findings)) : Outcome(kNeedsPorts);
}

/// Returns the intervals between readings in which any of the counters increased, by counter and time.
[[nodiscard]] std::vector<model::Interval> movedIn(const metrics::Port& port,
                                                   const std::vector<trace::SeriesMetric>& counters);
/// The same of the counters of rows that hold.
[[nodiscard]] std::vector<model::Interval> movedIn(const metrics::Port& port,
                                                   const std::vector<conditions::Judged>& rows);

/// Returns "port host0 mlx5_0:1" or "2 ports (host0 mlx5_0:1, host0 mlx5_1:1)". At most three are named.
[[nodiscard]] words::Text portsText(const std::vector<std::string>& names);

/// Collectives that took longer than twice the median of their kind and size.
struct SlowCollectives {
    std::size_t all = 0;       ///< in the whole run
    std::size_t then = 0;      ///< those while a counter increased
    std::int64_t excessNs = 0; ///< time beyond their medians, of the collectives in `then`
    const metrics::ArrivedOperation* slowest = nullptr; ///< of the collectives in `then`
};
/// Sorts the spans and merges those that touch. In a long run a counter may increase at every sample.
[[nodiscard]] std::vector<model::Interval> merged(std::vector<model::Interval> spans);

/// Returns true if one of the merged spans overlaps `other`.
[[nodiscard]] bool overlapsAny(const std::vector<model::Interval>& spans, const model::Interval& other);
/// Adds the collectives that were slow while the counters of the port increased: a clause in the title,
/// evidence, and the cost per step. Returns true if collectives were slow then more often than the share of
/// time in which the counters increased would make by chance.
bool addSlowCollectives(const Context& context, const metrics::Port& port,
                        const std::vector<model::Interval>& spans, Finding& finding);

} // namespace ringside::rules
