// SPDX-License-Identifier: Apache-2.0
// Finds links that work with little margin: a hot module, weak light, bits that even correction leaves wrong.
// Files of `ethtool -m`, `mlxlink` and ibdiagnet tell that; the collector does not read modules, which takes
// the adapter's time.
#include "words/link_margin.h"

#include "rules/shared/ports.h"
#include "values/parse_number.h"

namespace ringside::rules::rule_link_margin {
namespace {

namespace text = words::link_margin;

constexpr Option kOptions[] = {
    {"celsius", 70,
     "warn from this temperature of a module whose own limits are not known (NVIDIA's cluster bring-up "
     "guide)"},
    {"celsius_much", 80, "a problem from this temperature, likewise"},
    {"effective_ber", 1e-14,
     "a problem above this rate of bits that are wrong after correction (NVIDIA's cluster bring-up guide)"},
};

std::optional<double> numberOf(const metrics::Port& port, const trace::PortFact& fact)
{
    return values::parseNumber<double>(port.fact(fact));
}

/// What is wrong with a link.
struct Verdict {
    Severity severity = Severity::Info;
    words::Text what;
    void add(Severity how, words::Text more)
    {
        severity = what.empty() ? how : std::max(severity, how);
        what += what.empty() ? std::move(more) : text::more + std::move(more);
    }
};

/// The module's own limits count more than general ones: some are made for 85 degrees.
void judgeHeat(const Context& context, const metrics::Port& port, Verdict& verdict)
{
    const auto celsius = numberOf(port, "module_celsius");
    if (!celsius) {
        return;
    }
    const auto ownAlarm = numberOf(port, "module_celsius_alarm");
    const double alarm = ownAlarm.value_or(context.option("celsius_much"));
    const double warning =
        numberOf(port, "module_celsius_warning").value_or(ownAlarm ? alarm : context.option("celsius"));
    if (*celsius >= std::min(alarm, warning)) {
        const bool isAlarm = *celsius >= alarm;
        verdict.add(isAlarm ? Severity::Problem : Severity::Warning,
                    say(isAlarm ? text::heat_alarm : text::heat_warning,
                        {{"celsius", *celsius}, {"limit", isAlarm ? alarm : warning}}));
    }
}

void judgeLight(const metrics::Port& port, Verdict& verdict)
{
    const auto dbm = numberOf(port, "light_dbm");
    const auto alarm = numberOf(port, "light_dbm_alarm");
    const auto warning = numberOf(port, "light_dbm_warning");
    if (dbm && alarm && *dbm <= *alarm) {
        verdict.add(Severity::Problem, say(text::light_alarm, {{"light", *dbm}, {"limit", *alarm}}));
    } else if (dbm && warning && *dbm <= *warning) {
        verdict.add(Severity::Warning, say(text::light_warning, {{"light", *dbm}, {"limit", *warning}}));
    }
}

void judgeErrors(const Context& context, const metrics::Port& port, Verdict& verdict)
{
    const auto ber = numberOf(port, "effective_ber");
    if (ber && *ber > context.option("effective_ber")) {
        verdict.add(Severity::Problem, say(text::bit_errors, {{"rate", *ber}}));
    }
    // mlxlink's text for a good link, and for one that nobody asks to be up
    const std::string_view advice = port.fact("recommendation");
    if (!advice.empty() && !advice.starts_with("No issue was observed") && advice != "N/A") {
        verdict.add(Severity::Warning, say(text::mlxlink, {{"advice", advice}}));
    }
    if (const std::string_view alarms = port.fact("module_alarms"); !alarms.empty()) {
        verdict.add(Severity::Warning, say(text::alarms, {{"alarms", alarms}}));
    }
}

std::optional<Finding> checkPort(const Context& context, const metrics::Port& port)
{
    Verdict verdict;
    judgeHeat(context, port, verdict);
    judgeLight(port, verdict);
    judgeErrors(context, port, verdict);
    if (verdict.what.empty()) {
        return std::nullopt;
    }
    Finding finding;
    finding.severity = verdict.severity;
    finding.title = say(text::title, {{"port", port.label()}, {"what", verdict.what}});
    finding.advice = text::remedy;
    return finding;
}

bool isMeasured(const metrics::Port& port)
{
    return !port.fact("module_celsius").empty() || !port.fact("light_dbm").empty() ||
           !port.fact("effective_ber").empty() || !port.fact("recommendation").empty() ||
           !port.fact("module_alarms").empty();
}

Outcome run(const Context& context)
{
    const Outcome outcome = checkPorts(context, isMeasured, checkPort);
    return std::holds_alternative<NotApplicable>(outcome) ? Outcome(NotApplicable{text::needs_files})
                                                          : outcome;
}

} // namespace

RINGSIDE_RULE(link_margin, .title = text::heading, .needs = "files (links --from)", .options = kOptions,
              .run = run, .help = text::help, .checksLinks = true);

} // namespace ringside::rules::rule_link_margin
