// SPDX-License-Identifier: Apache-2.0
// What the rules about RDMA ports share: their names, whether the job uses them, what counters gained and
// when, and which collectives were slow just then.
#pragma once
#include "metrics/links.h"
#include "rules/support.h"

#include <algorithm>

namespace ringside::rules {

inline const NotApplicable kNeedsPorts{
    "needs samples of RDMA ports (tier sampled, source rdma): this run has none; the "
    "tier's reason says why"};

/// A rank's place in time, where the port's host has one.
inline void addEvidence(const Context& context, const metrics::Port& port, const model::Interval& span,
                        std::string what, Finding& finding)
{
    if (port.rank) {
        finding.evidence.push_back(
            {context.run.ranks[*port.rank].rank, span.start, span.end, std::move(what)});
    }
}

/// What nobody's data goes through costs nobody time.
[[nodiscard]] inline Severity asUsed(const metrics::Port& port, Severity severity)
{
    return port.carried() == std::optional(false) ? Severity::Info : severity;
}

/// rxe and siw do in software what adapters do, and lose packets that adapters would not.
[[nodiscard]] inline bool isSoftware(const metrics::Port& port)
{
    return port.values.contains("requester_retries") || port.fact("driver") == "siw";
}

[[nodiscard]] inline double minutesOf(const model::Interval& span)
{
    constexpr double kNsAMinute = 60e9;
    return static_cast<double>(span.length()) / kNsAMinute;
}

/// "2 ports (host0 mlx5_0:1, host0 mlx5_1:1)"; at most three are named.
[[nodiscard]] inline std::string portsText(const std::vector<std::string>& names)
{
    constexpr std::size_t kNamed = 3;
    std::string text;
    for (std::size_t i = 0; i < std::min(kNamed, names.size()); ++i) {
        text += (i == 0 ? "" : ", ") + names[i];
    }
    return names.size() == 1
               ? "Port " + text
               : fmt::format("{} ports ({}{})", names.size(), text, names.size() > kNamed ? ", ..." : "");
}

/// Collectives that took longer than twice the median of their kind and size while a counter moved.
struct SlowCollectives {
    std::size_t count = 0;
    std::int64_t excessNs = 0; ///< beyond their medians, all together
    const metrics::ArrivedOperation* slowest = nullptr;
};

[[nodiscard]] inline std::optional<std::int64_t> usualTransferNs(const Context& context,
                                                                 const model::Operation& operation)
{
    for (const metrics::CollectiveGroup& group : context.figures.collectives) {
        if (group.communicator == operation.communicator && group.kind == operation.kind &&
            group.bytes == operation.bytes) {
            return group.transferNs;
        }
    }
    return std::nullopt;
}

/// In order, those that touch each other as one: a counter may move at every reading of a long run.
[[nodiscard]] inline std::vector<model::Interval> merged(std::vector<model::Interval> spans)
{
    std::sort(spans.begin(), spans.end(),
              [](const model::Interval& a, const model::Interval& b) { return a.start < b.start; });
    std::vector<model::Interval> result;
    for (const model::Interval& span : spans) {
        if (!result.empty() && span.start <= result.back().end) {
            result.back().end = std::max(result.back().end, span.end);
        } else {
            result.push_back(span);
        }
    }
    return result;
}

/// Whether one of the merged spans overlaps it.
[[nodiscard]] inline bool overlapsAny(const std::vector<model::Interval>& spans, const model::Interval& other)
{
    const auto after =
        std::lower_bound(spans.begin(), spans.end(), other.end,
                         [](const model::Interval& span, std::int64_t end) { return span.start < end; });
    return after != spans.begin() && model::overlapLength(*(after - 1), other) > 0;
}

[[nodiscard]] inline SlowCollectives slowDuring(const Context& context,
                                                const std::vector<model::Interval>& spans)
{
    const std::vector<model::Interval> moved = merged(spans);
    SlowCollectives slow;
    for (const metrics::ArrivedOperation& each : context.figures.arrived) {
        const bool then = overlapsAny(moved, {each.times.lastArrivalNs, each.times.endNs});
        const auto usual =
            then ? usualTransferNs(context, context.run.operations[each.operation]) : std::nullopt;
        if (!usual || each.times.transferNs() <= 2 * *usual) {
            continue;
        }
        ++slow.count;
        slow.excessNs = model::addCapped(slow.excessNs, each.times.transferNs() - *usual);
        if (slow.slowest == nullptr || each.times.transferNs() > slow.slowest->times.transferNs()) {
            slow.slowest = &each;
        }
    }
    return slow;
}

/// Joins a finding with the collectives that were slow while its counters moved: a sentence, a place to look
/// at, and what it cost a step.
inline void joinSlow(const Context& context, const std::vector<model::Interval>& spans, Finding& finding)
{
    if (!context.figures.arrivalsMeasured()) {
        return;
    }
    const SlowCollectives slow = slowDuring(context, spans);
    const auto steps = static_cast<std::int64_t>(std::max<std::size_t>(1, context.run.analyzedSteps.size()));
    finding.figures.push_back({"slow_collectives", Unit::Count, static_cast<double>(slow.count), {}});
    if (slow.slowest == nullptr) {
        finding.title += "; no collective was slow at that time";
        return;
    }
    finding.title += fmt::format(
        "; {} {} that ran just then took more than twice the usual time, the slowest {}", slow.count,
        slow.count == 1 ? "collective" : "collectives", milliseconds(slow.slowest->times.transferNs()));
    finding.costNsPerStep = slow.excessNs / steps;
    finding.evidence.push_back(
        transferEvidence(context, *slow.slowest, "the slowest collective while they moved"));
    finding.partOf = {"exposed_communication", "collective_bandwidth_low"};
}

} // namespace ringside::rules
