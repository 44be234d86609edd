// SPDX-License-Identifier: Apache-2.0
// Finds links that work with little margin: a hot module, weak light, bits that even correction leaves wrong.
// Files of `ethtool -m`, `mlxlink` and ibdiagnet tell that; the collector does not read modules, which takes
// the adapter's time.
#include "words/link_margin.h"

#include "rules/shared/conditions.h"
#include "rules/shared/ports.h"

namespace ringside::rules::rule_link_margin {
namespace {

namespace text = words::link_margin;

Outcome run(const Context& context)
{
    const auto check = [](const Context& of, const metrics::Port& port) -> std::optional<Finding> {
        const auto rows = conditions::judge(port, conditions::conditionsOf("link_margin"), limitsOf(of));
        Finding finding;
        finding.severity = worstOf(rows);
        finding.title = say(text::title, {{"port", port.label()}, {"what", listOf(rows, text::more)}});
        finding.advice = text::remedy;
        return rows.empty() ? std::nullopt : std::optional(std::move(finding));
    };
    const auto isMeasured = [](const metrics::Port& port) {
        return isAnyRead(port, conditions::conditionsOf("link_margin"));
    };
    const Outcome outcome = checkPorts(context, isMeasured, check);
    return std::holds_alternative<NotApplicable>(outcome) ? NotApplicable{text::needs_files} : outcome;
}

} // namespace

RINGSIDE_RULE(link_margin, .title = text::heading, .needs = {{}, "files (links --from)"},
              .options = conditions::optionsOf("link_margin"), .run = run, .help = text::help,
              .checksLinks = true);

} // namespace ringside::rules::rule_link_margin
