// SPDX-License-Identifier: Apache-2.0
// Finds links that work with little margin: a hot module, weak light, bits that even correction leaves wrong.
// Files of `ethtool -m`, `mlxlink` and ibdiagnet tell that; the collector does not read modules, which takes
// the adapter's time.
#include "rules/shared/ports.h"
#include "values/parse_number.h"

namespace ringside::rules::rule_link_margin {
namespace {

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

/// Appends to what is wrong with a link.
struct Verdict {
    Severity severity = Severity::Info;
    std::string words;
    void add(Severity how, const std::string& what)
    {
        severity = words.empty() ? how : std::max(severity, how);
        words += (words.empty() ? "" : "; ") + what;
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
        verdict.add(*celsius >= alarm ? Severity::Problem : Severity::Warning,
                    fmt::format("its module has {:g} degrees C ({} {:g})", *celsius,
                                *celsius >= alarm ? "alarm from" : "warning from",
                                *celsius >= alarm ? alarm : warning));
    }
}

void judgeLight(const metrics::Port& port, Verdict& verdict)
{
    const auto dbm = numberOf(port, "light_dbm");
    const auto alarm = numberOf(port, "light_dbm_alarm");
    const auto warning = numberOf(port, "light_dbm_warning");
    if (dbm && alarm && *dbm <= *alarm) {
        verdict.add(Severity::Problem,
                    fmt::format("it receives {:g} dBm of light (alarm below {:g})", *dbm, *alarm));
    } else if (dbm && warning && *dbm <= *warning) {
        verdict.add(Severity::Warning,
                    fmt::format("it receives {:g} dBm of light (warning below {:g})", *dbm, *warning));
    }
}

void judgeErrors(const Context& context, const metrics::Port& port, Verdict& verdict)
{
    const auto ber = numberOf(port, "effective_ber");
    if (ber && *ber > context.option("effective_ber")) {
        verdict.add(Severity::Problem, fmt::format("its bit error rate after correction is {:.1g}", *ber));
    }
    // mlxlink's text for a good link, and for one that nobody asks to be up
    const std::string_view advice = port.fact("recommendation");
    if (!advice.empty() && !advice.starts_with("No issue was observed") && advice != "N/A") {
        verdict.add(Severity::Warning, fmt::format("mlxlink says \"{}\"", advice));
    }
    if (const std::string_view alarms = port.fact("module_alarms"); !alarms.empty()) {
        verdict.add(Severity::Warning, fmt::format("its module has alarms on ({})", alarms));
    }
}

std::optional<Finding> checkPort(const Context& context, const metrics::Port& port)
{
    Verdict verdict;
    judgeHeat(context, port, verdict);
    judgeLight(port, verdict);
    judgeErrors(context, port, verdict);
    if (verdict.words.empty()) {
        return std::nullopt;
    }
    Finding finding;
    finding.severity = verdict.severity;
    finding.title = fmt::format("Port {}: {}", port.label(), verdict.words);
    finding.advice =
        "Clean the ends of the fibre and reseat cable and module; check air flow and fans. If it "
        "stays, exchange the cable or the module, one at a time, and see what follows it.";
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
    return std::holds_alternative<NotApplicable>(outcome)
               ? Outcome(NotApplicable{"needs files of `ethtool -m`, `mlxlink -m -c` or ibdiagnet: `ringside "
                                       "links RUN --from FILE`"})
               : outcome;
}

} // namespace

RINGSIDE_RULE(link_margin, .title = "A link works with little margin", .needs = "files (links --from)",
              .options = kOptions, .run = run,
              .help = "Temperature of the module in a port and the light that it receives against the limits "
                      "in its own memory, the rate of bits that are wrong after correction, and what mlxlink "
                      "recommends. A module whose limits are not known is compared with general ones. Bits "
                      "that correction repairs are normal and not judged.",
              .checksLinks = true);

} // namespace ringside::rules::rule_link_margin
