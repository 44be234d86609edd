// SPDX-License-Identifier: Apache-2.0
// Finds what NCCL's log says of its network, and what a failover to another port cost the collectives after
// it.
#include "words/network_events.h"

#include "rules/shared/log_events.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace ringside::rules::rule_network_events {
namespace {

namespace text = words::network_events;

using trace::KernelEvent;

constexpr std::array<LogKind, 5> kKinds{{
    {KernelEvent::NetFailover, Severity::Warning, &text::failover, &text::failover_remedy},
    {KernelEvent::NetFatal, Severity::Problem, &text::fatal, &text::fatal_remedy},
    {KernelEvent::NetCompletion, Severity::Warning, &text::completion, &text::completion_remedy},
    {KernelEvent::NetPortDown, Severity::Warning, &text::port_down, &text::port_down_remedy},
    {KernelEvent::NetSpeed, Severity::Warning, &text::speed, &text::port_down_remedy},
}};

/// Transfer times of the collectives of one kind and size, in ns.
struct Sides {
    std::vector<double> before, after;
    /// Returns what those after lost against the median of those before.
    [[nodiscard]] double lostNs() const
    {
        double lost = 0;
        const double usual = model::median(before);
        for (const double each : after) {
            lost += each - usual;
        }
        return lost;
    }
};

/// Returns collectives that ended before a time and those that began after it; groups that lack one of them
/// are left out.
std::vector<Sides> sidesOf(const Context& context, std::int64_t timeNs)
{
    constexpr std::size_t kFewest = 3;
    std::map<std::tuple<std::int64_t, int, std::uint64_t>, Sides> groups;
    for (const metrics::ArrivedOperation& each : context.figures.arrived) {
        const model::Operation& operation = context.run.operations[each.operation];
        Sides& sides = groups[{static_cast<std::int64_t>(operation.communicator),
                               static_cast<int>(operation.kind), operation.bytes.value_or(0)}];
        if (each.times.endNs <= timeNs) {
            sides.before.push_back(static_cast<double>(each.times.transferNs()));
        } else if (each.times.lastArrivalNs >= timeNs) {
            sides.after.push_back(static_cast<double>(each.times.transferNs()));
        }
    }
    std::vector<Sides> all;
    for (auto& [key, sides] : groups) {
        if (sides.before.size() >= kFewest && sides.after.size() >= kFewest) {
            all.push_back(std::move(sides));
        }
    }
    return all;
}

/// Says what the collectives after a failover lost, and takes it as the finding's cost.
void addCost(const Context& context, std::int64_t timeNs, Finding& finding)
{
    constexpr double kSlower = 1.1;
    const std::vector<Sides> all = sidesOf(context, timeNs);
    if (all.empty()) {
        finding.title += text::not_compared;
        return;
    }
    const Sides& most = *std::ranges::max_element(all, {}, &Sides::lostNs);
    const double before = model::median(most.before);
    const double after = model::median(most.after);
    if (after < kSlower * before) {
        finding.title += text::not_slower;
        return;
    }
    double lost = 0;
    for (const Sides& each : all) {
        lost += std::max(0.0, each.lostNs());
    }
    finding.title += say(text::slower, {{"after", after}, {"before", before}, {"count", most.after.size()}});
    finding.figures.push_back({"transfer_before_ns", Unit::Ns, before, {}});
    finding.figures.push_back({"transfer_after_ns", Unit::Ns, after, {}});
    if (const double periods = context.figures.periods(); periods > 0) {
        finding.costNsPerStep = static_cast<std::int64_t>(lost / periods);
    }
}

Outcome run(const Context& context)
{
    std::vector<Finding> findings;
    bool measured = false;
    for (const LogEvents& events : logEventsOf(context.run)) {
        const std::string_view word = events.series->metric.text();
        const auto* const kind =
            std::ranges::find_if(kKinds, [&](const LogKind& each) { return wordOf(each.event) == word; });
        measured = measured || kind != kKinds.end() || word == wordOf(KernelEvent::NetPortUp);
        if (kind == kKinds.end() || events.samples.empty()) {
            continue;
        }
        Finding finding = logFinding(context, events, text::title, *kind->what);
        finding.severity = kind->severity;
        finding.advice = *kind->remedy;
        const model::Rank* const rank = rankOn(context.run, *events.process);
        if (kind->event == KernelEvent::NetFailover && rank != nullptr) {
            addCost(context, rank->clock.toRun(events.samples.front().timeNs), finding);
        }
        findings.push_back(std::move(finding));
    }
    return measured ? Outcome(std::move(findings)) : Outcome(NotApplicable{text::needs_log});
}

} // namespace

RINGSIDE_RULE(network_events, .title = text::heading, .needs = {{}, "NCCL's log (links --from)"},
              .options = {}, .run = run, .help = text::help, .checksLinks = true);

} // namespace ringside::rules::rule_network_events
