// SPDX-License-Identifier: Apache-2.0
// Finds errors of a port's physical link: symbols or packets are lost, or the link retrains, because of
// cable, transceiver or connector. The port itself counts them; only errors during the run matter.
#include "words/rdma_link_errors.h"

#include "rules/shared/conditions.h"
#include "rules/shared/link_cause.h"

namespace ringside::rules::rule_rdma_link_errors {
namespace {

namespace text = words::rdma_link_errors;

using conditions::Judged;

/// What bad packets were, where perfquery -E tells.
words::Text detailsText(const metrics::Port& port)
{
    const std::string_view details = port.fact("receive_error_details");
    return details.empty() ? words::Text() : say(text::details, {{"details", details}});
}

void describeGains(const Context& context, const metrics::Port& port, const std::vector<Judged>& rows,
                   Finding& finding)
{
    const auto isUpstream = [](const Judged& row) {
        return row.condition->metric == "rx_remote_physical_errors";
    };
    const std::vector<model::Interval> moved = movedIn(port, rows);
    finding.severity = severityIfUsed(port, finding.severity);
    addEvidence(context, port, moved.front(), text::first_counted, finding);
    addCause(port, moved, finding);
    addSlowCollectives(context, port, moved, finding);
    // Damaged on another link: this port only passes on what an earlier hop marked.
    finding.advice = std::ranges::all_of(rows, isUpstream) ? text::remedy_upstream : text::remedy;
}

std::optional<Finding> checkPort(const Context& context, const metrics::Port& port)
{
    auto rows = conditions::judge(port, conditions::conditionsOf("rdma_link_errors"), limitsOf(context));
    if (rows.empty()) {
        return std::nullopt;
    }
    const bool once = port.isReadOnce();
    Finding finding;
    finding.severity = worstOf(rows);
    for (Judged& row : rows) {
        row.what = port.gainedAtLeast(row.condition->metric) ? text::at_least + row.what : row.what;
        finding.figures.push_back({std::string(row.condition->metric.text()), Unit::Count, row.value,
                                   once ? std::optional(row.limit) : std::nullopt});
    }
    finding.title =
        say(once ? text::history : text::title,
            {{"port", port.label()}, {"errors", listOf(rows, text::next)}, {"details", detailsText(port)}});
    if (once) {
        finding.advice = text::remedy_history;
    } else {
        describeGains(context, port, rows, finding);
    }
    return finding;
}

bool isMeasured(const metrics::Port& port)
{
    return isAnyRead(port, conditions::conditionsOf("rdma_link_errors"));
}

Outcome run(const Context& context)
{
    return checkPorts(context, isMeasured, checkPort);
}

} // namespace

RINGSIDE_RULE(rdma_link_errors, .title = text::heading, .needs = {{"sampled"}, " (rdma)"},
              .options = conditions::optionsOf("rdma_link_errors"), .run = run, .help = text::help,
              .checksLinks = true);

} // namespace ringside::rules::rule_rdma_link_errors
