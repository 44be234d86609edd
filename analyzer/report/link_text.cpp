// SPDX-License-Identifier: Apache-2.0
#include "report/link_text.h"

#include "document/table.h"
#include "output/json_value.h"
#include "output/prometheus_text.h"
#include "report/links.h"
#include "rules/shared/port_peers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace ringside::report {
namespace {

document::Cell gigabitsCell(std::optional<double> gigabitsPerS)
{
    return {gigabitsPerS, values::Unit::GigabitsPerSecond, {.digits = 2}};
}

document::Cell meanRate(const metrics::Port& port, const trace::SeriesMetric& metric)
{
    constexpr double kBits = 8.0;
    const auto gain = port.gain(metric);
    const std::int64_t ns = port.sampled().length();
    return gain && ns > 0 ? gigabitsCell(static_cast<double>(*gain) * kBits / static_cast<double>(ns))
                          : document::Cell::absent("the port's bytes were not counted");
}

document::Cell utilization(const metrics::Port& port, const trace::SeriesMetric& metric)
{
    return document::shareCell(port.utilization(metric, port.sampled()));
}

document::Cell rate(const metrics::Port& port)
{
    constexpr double kMbps = 1000.0;
    constexpr int kDigits = 6;
    const auto mbps = port.last("rate_mbps");
    return mbps ? document::Cell(static_cast<double>(*mbps) / kMbps, values::Unit::GigabitsPerSecond,
                                 {.kind = document::NumberStyle::Kind::Significant,
                                  .digits = kDigits,
                                  .suffix = " Gb/s "})
                      .with(std::string(port.fact("generation")))
                : document::Cell::absent("the port's rate was not read");
}

/// Returns the counters that increased, except those of the traffic.
document::Cell moved(const metrics::Port& port)
{
    std::string text;
    for (const auto& [metric, values] : port.values) {
        const auto gain = port.gain(metric);
        if (gain && *gain > 0 && !metrics::isState(metric) && !metrics::isTraffic(metric)) {
            text += fmt::format("{}{} +{}{}", text.empty() ? "" : ", ", metric.text(), *gain,
                                port.gainedAtLeast(metric) ? " or more" : "");
        }
    }
    return text.empty() ? document::Cell() : document::Cell(text);
}

document::Table tableOf(const Report& report, const std::vector<Link>& links)
{
    document::Table table{{"host", "port", "state", "rate", "sends\nGb/s", "of rate", "receives\nGb/s",
                           "of rate", "health", "counters that moved"},
                          {}};
    for (const Link& link : links) {
        const metrics::Port& port = link.port;
        table.rows.push_back({port.host, port.name, stateName(port.last("state")), rate(port),
                              meanRate(port, "tx_bytes"), utilization(port, "tx_bytes"),
                              meanRate(port, "rx_bytes"), utilization(port, "rx_bytes"),
                              healthName(healthOf(report, port)), moved(port)});
    }
    return table;
}

/// Returns the median and the largest share of the rate that was sent, or empty cells.
template <class Each>
std::array<document::Cell, 2> sentCells(const std::vector<Each>& uses)
{
    std::vector<double> shares;
    for (const Each& each : uses) {
        if (each.use.tx) {
            shares.push_back(*each.use.tx);
        }
    }
    if (shares.empty()) {
        return {};
    }
    const double most = *std::ranges::max_element(shares);
    return {document::shareCell(model::median(std::move(shares))), document::shareCell(most)};
}

/// Returns the table of links that were sampled while steps ran.
std::string useText(const std::vector<Link>& links)
{
    document::Table table{{"host", "port", "share of\nits host", "in commu-\nnication\nGb/s", "of rate",
                           "steps,\nmedian", "most", "collectives,\nmedian", "most"},
                          {}};
    for (const Link& link : links) {
        if (!link.use.communicationBitsPerNs) {
            continue;
        }
        const auto steps = sentCells(link.use.steps);
        const auto collectives = sentCells(link.use.collectives);
        table.rows.push_back({link.port.host, link.port.name, document::shareCell(link.use.railShare),
                              gigabitsCell(link.use.communicationBitsPerNs),
                              document::shareCell(link.use.communication), steps[0], steps[1], collectives[0],
                              collectives[1]});
    }
    return table.rows.empty()
               ? ""
               : "\n" + document::plainTable(table, "  ") +
                     "  What they sent: in communication as if all of it was communication; in steps and "
                     "collectives\n"
                     "  that are longer than the time between readings, as shares of the rate.\n";
}

std::string stepsText(const metrics::Movement& moved)
{
    return !moved.firstStep ? "outside of the steps"
           : *moved.firstStep == *moved.lastStep
               ? fmt::format("in step {}", *moved.firstStep)
               : fmt::format("in steps {} to {}", *moved.firstStep, *moved.lastStep);
}

/// Returns when counters of errors and congestion increased.
std::string movementText(const std::vector<Link>& links, std::size_t width)
{
    constexpr std::size_t kShown = 8; // per port
    std::string text;
    for (const Link& link : links) {
        for (std::size_t i = 0; i < std::min(kShown, link.use.moved.size()); ++i) {
            const metrics::Movement& moved = link.use.moved[i];
            text += document::wrap(fmt::format("{}: {} +{} {}", link.port.label(), moved.metric.text(),
                                               moved.gain.gain, stepsText(moved)),
                                   width, "    ");
        }
        if (const std::size_t all = link.use.moved.size() + link.use.movedLeftOut; all > kShown) {
            text += fmt::format("    {}: {} more\n", link.port.label(), all - kShown);
        }
    }
    return text.empty() ? text : "\n  When counters moved:\n" + text;
}

/// Returns the ports of a list, at most three by name; "all 8 ports" if it is all of them.
std::string portsText(const std::vector<std::string>& ports, std::size_t all)
{
    constexpr std::size_t kNamed = 3;
    if (ports.size() == all && all > 1) {
        return fmt::format("all {} ports", all);
    }
    const std::size_t named = std::min(kNamed, ports.size());
    const std::string text =
        fmt::format("{}", fmt::join(ports.begin(), ports.begin() + static_cast<std::ptrdiff_t>(named), ", "));
    return ports.size() > named ? text + fmt::format(" and {} more", ports.size() - named) : text;
}

/// Returns why values are missing, each reason once.
std::string missingText(const std::vector<Link>& links, std::size_t width)
{
    struct Missing {
        std::vector<std::string> ports, metrics;
    };
    std::map<std::string_view, Missing> byReason;
    const auto add = [](std::vector<std::string>& names, std::string name) {
        if (std::ranges::find(names, name) == names.end()) {
            names.push_back(std::move(name));
        }
    };
    for (const Link& link : links) {
        for (const auto& [metric, reason] : link.port.missing) {
            add(byReason[reason].ports, link.port.label());
            add(byReason[reason].metrics, std::string(metric.text()));
        }
    }
    std::string text;
    for (const auto& [reason, missing] : byReason) {
        text += document::wrap(fmt::format("{}: {} ({})", portsText(missing.ports, links.size()),
                                           fmt::join(missing.metrics, ", "), reason),
                               width, "    ");
    }
    return text;
}

/// Names the ports that are no compute rails, and are therefore judged apart from them.
std::string rolesText(const Report& report, std::size_t width)
{
    std::map<std::string_view, std::vector<std::string>> named;
    for (const metrics::Port& port : report.metrics.ports) {
        if (const std::string_view role = rules::roleName(report.metrics.ports, port);
            !role.empty() && role != "compute rail") {
            named[role].push_back(port.label());
        }
    }
    std::string text;
    for (const auto& [role, ports] : named) {
        text += document::wrap(fmt::format("{}: {}", role, fmt::join(ports, ", ")), width, "    ");
    }
    return text.empty() ? "" : "\n  No compute rails, and not compared with them:\n" + text;
}

/// What of the files could not be read.
std::vector<std::string> lossesOf(const Report& report)
{
    std::vector<std::string> losses;
    for (const trace::IssueRow& issue : report.issues) {
        if (issue.is(trace::Issue::UnreadableFile) || issue.is(trace::Issue::TruncatedFile) ||
            issue.is(trace::Issue::DamagedLine)) {
            losses.push_back(issue.message);
        }
    }
    return losses;
}

} // namespace

document::Table portTable(const Report& report)
{
    return tableOf(report, linksOf(report));
}

std::string linksText(const Report& report, std::size_t width)
{
    std::string text = fmt::format("Links: {}\n", healthName(linkHealth(report)));
    if (report.metrics.ports.empty() && !report.tiers.empty()) {
        text += "  no RDMA port was sampled; for the reason, run `ringside query` on table tier\n";
    }
    const std::vector<Link> links = linksOf(report);
    if (!links.empty()) {
        text += "\n" + document::plainTable(tableOf(report, links), "  ") + rolesText(report, width) +
                useText(links) + movementText(links, width);
    }
    for (const rules::Finding* finding : linkFindings(report)) {
        text += fmt::format("\n  {} ({})\n", rules::severityName(finding->severity), finding->rule);
        text += document::wrap(report.sentence(finding->title), width, "    ");
        text += document::wrap("-> " + report.sentence(finding->advice), width, "    ");
    }
    const std::string missing = missingText(links, width);
    text += missing.empty() ? "" : "\n  Not measured:\n" + missing;
    const std::vector<std::string> lost = lossesOf(report);
    text += lost.empty() ? "" : "\n  Lost:\n";
    for (const std::string& loss : lost) {
        text += document::wrap(loss, width, "    ");
    }
    return text;
}

std::string linksJsonText(const Report& report)
{
    Json findings = Json::array();
    for (const rules::Finding* finding : linkFindings(report)) {
        findings.push_back({{"rule", finding->rule},
                            {"severity", rules::severityName(finding->severity)},
                            {"title", report.sentence(finding->title)},
                            {"links", finding->links},
                            {"advice", report.sentence(finding->advice)}});
    }
    const Json root = {{"schema", "ringside-links/1"},
                       {"health", healthName(linkHealth(report))},
                       {"links", linksJson(report)},
                       {"findings", findings},
                       {"losses", lossesOf(report)}};
    return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string linksPrometheus(const Report& report)
{
    output::PrometheusText out{{}};
    const auto number = [](std::optional<std::int64_t> value) {
        return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
    };
    constexpr double kBitsAMegabit = 1e6;
    for (const metrics::Port& port : report.metrics.ports) {
        const std::string labels = output::label("host", port.host) + "," + output::label("port", port.name);
        const auto health = healthOf(report, port);
        out.add("ringside_port_problem", "1 if a rule found a problem of the port, 0.5 a warning, 0 ok",
                health == Health::NotMeasured ? std::nullopt
                                              : std::optional((static_cast<double>(health) - 1.0) / 2.0),
                labels);
        out.add("ringside_port_state", "State of the port; 4 is active", number(port.last("state")), labels);
        const auto mbps = number(port.last("rate_mbps"));
        out.add("ringside_port_rate_bits_per_second", "Current rate of the port",
                mbps ? std::optional(*mbps * kBitsAMegabit) : std::nullopt, labels);
        for (const auto& [metric, values] : port.values) {
            if (!metrics::isState(metric)) {
                out.add("ringside_port_gained", "Increase of a counter of the port while it was sampled",
                        number(port.gain(metric)), labels + "," + output::label("counter", metric.text()));
            }
        }
    }
    return out.text();
}

} // namespace ringside::report
