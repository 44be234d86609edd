// SPDX-License-Identifier: Apache-2.0
#include "report/links.h"

#include "output/json_value.h"
#include "rules/shared/port_peers.h"
#include "rules/shared/support.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace ringside::report {
namespace {

/// Returns NotMeasured if no finding is a warning or a problem: then it is measurements that tell.
Health worstFault(const std::vector<const rules::Finding*>& findings)
{
    Health worst = Health::NotMeasured;
    for (const rules::Finding* const finding : findings) {
        worst = std::max(worst, finding->severity == rules::Severity::Problem   ? Health::Problem
                                : finding->severity == rules::Severity::Warning ? Health::Warning
                                                                                : Health::NotMeasured);
    }
    return worst;
}

bool nvlinkIsMeasured(const Report& report)
{
    for (const trace::ProcessTrace& process : report.model.trace.processes) {
        for (const trace::SeriesRow& row : process.series) {
            const auto id = static_cast<std::uint32_t>(row.id);
            if (row.source == "nvml" && row.metric.text().starts_with("nvlink") &&
                std::find(process.samples.series.begin(), process.samples.series.end(), id) !=
                    process.samples.series.end()) {
                return true;
            }
        }
    }
    return false;
}

/// Returns true if more than totals is known. A port that was read once by another tool (`links --from`) has
/// only totals, which may be old.
bool hasMoreThanTotals(const metrics::Port& port)
{
    return port.last("state") || port.sampled().length() > 0;
}

/// Returns the mean over the sampled time, and the largest value between two samples.
Json utilizationJson(const metrics::Port& port, const trace::SeriesMetric& metric)
{
    std::optional<double> most;
    for (const metrics::Gain& each : port.gains(metric)) {
        const auto here = port.utilization(metric, each.between);
        most = here ? std::max(most.value_or(0), *here) : most;
    }
    return {{"mean", orNull(port.utilization(metric, port.sampled()))}, {"max", orNull(most)}};
}

/// Returns median and largest share of the measured ones.
template <class Each>
Json summaryJson(const std::vector<Each>& uses, std::optional<double> metrics::Use::*direction)
{
    std::vector<double> shares;
    for (const Each& each : uses) {
        if (each.use.*direction) {
            shares.push_back(*(each.use.*direction));
        }
    }
    if (shares.empty()) {
        return {{"measured", 0}, {"median", nullptr}, {"max", nullptr}};
    }
    return {{"measured", shares.size()},
            {"median", model::median(shares)},
            {"max", *std::max_element(shares.begin(), shares.end())}};
}

template <class Each>
Json directionsJson(const std::vector<Each>& uses)
{
    return {{"tx", summaryJson(uses, &metrics::Use::tx)}, {"rx", summaryJson(uses, &metrics::Use::rx)}};
}

Json useJson(const metrics::LinkUse& use)
{
    Json moved = Json::array();
    for (const metrics::Movement& each : use.moved) {
        moved.push_back({{"counter", each.metric.text()},
                         {"gain", each.gain.gain},
                         {"start_ns", each.gain.between.start},
                         {"end_ns", each.gain.between.end},
                         {"first_step", orNull(each.firstStep)},
                         {"last_step", orNull(each.lastStep)}});
    }
    return {{"communication_gbps", orNull(use.communicationBitsPerNs)},
            {"communication_utilization", orNull(use.communication)},
            {"steps", directionsJson(use.steps)},
            {"collectives", directionsJson(use.collectives)},
            {"share_of_host", orNull(use.railShare)},
            {"moved", moved},
            {"moved_left_out", use.movedLeftOut}};
}

Json roleOrNull(const Report& report, const metrics::Port& port)
{
    const std::string_view role = rules::roleName(report.metrics.ports, port);
    return role.empty() ? Json(nullptr) : Json(role);
}

Json portJson(const Report& report, const Link& link)
{
    const metrics::Port& port = link.port;
    Json counters = Json::object();
    for (const auto& [metric, values] : port.values) {
        if (!metrics::isState(metric)) {
            counters[std::string(metric.text())] = orNull(port.gain(metric));
        }
    }
    Json missing = Json::object();
    for (const auto& [metric, reason] : port.missing) {
        missing[std::string(metric.text())] = reason;
    }
    return {{"host", port.host},
            {"port", port.name},
            {"kind", link.kind},
            {"role", link.kind == "rdma" ? Json(roleOrNull(report, port)) : Json(nullptr)},
            {"health", healthName(healthOf(report, port))},
            {"state", stateName(port.last("state"))},
            {"rate_mbps", orNull(port.last("rate_mbps"))},
            {"mtu_bytes", orNull(port.last("mtu_bytes"))},
            {"carried_data", orNull(port.carried())},
            {"tx_utilization", utilizationJson(port, "tx_bytes")},
            {"rx_utilization", utilizationJson(port, "rx_bytes")},
            {"use", useJson(link.use)},
            {"facts", port.facts},
            {"gained", counters},
            {"not_measured", missing}};
}

/// "a eth0 sends 3.10 Gb/s in communication, 31.0 % of its rate"
std::string carriedText(const Link& link)
{
    const std::string gbps = fmt::format("{} sends {:.2f} Gb/s in communication", link.port.label(),
                                         *link.use.communicationBitsPerNs);
    return link.use.communication
               ? fmt::format("{}, {} of its rate", gbps, rules::percent(*link.use.communication))
               : gbps + " (its rate is not known)";
}

} // namespace

std::string_view healthName(Health health)
{
    constexpr std::array<std::string_view, 4> kNames{"not measured", "ok", "warning", "problem"};
    return kNames.at(static_cast<std::size_t>(health));
}

std::vector<const rules::Finding*> linkFindings(const Report& report)
{
    std::vector<const rules::Finding*> found;
    for (const rules::Finding& finding : report.findings) {
        const auto all = rules::all();
        const auto rule = std::find_if(all.begin(), all.end(),
                                       [&](const rules::Rule* each) { return each->id == finding.rule; });
        if (rule != all.end() && (*rule)->checksLinks) {
            found.push_back(&finding);
        }
    }
    return found;
}

Health linkHealth(const Report& report)
{
    Health worst = nvlinkIsMeasured(report) ? Health::Ok : Health::NotMeasured;
    for (const metrics::Port& port : report.metrics.ports) {
        worst = std::max(worst, healthOf(report, port));
    }
    return std::max(worst, worstFault(linkFindings(report)));
}

Health healthOf(const Report& report, const metrics::Port& port)
{
    std::vector<const rules::Finding*> findings = linkFindings(report);
    std::erase_if(findings, [&](const rules::Finding* finding) {
        return std::ranges::find(finding->links, port.label()) == finding->links.end();
    });
    return std::max(hasMoreThanTotals(port) ? Health::Ok : Health::NotMeasured, worstFault(findings));
}

std::string_view stateName(std::optional<std::int64_t> state)
{
    constexpr std::array<std::string_view, 6> kNames{"NOP",   "DOWN",   "INIT",
                                                     "ARMED", "ACTIVE", "ACTIVE_DEFER"};
    return state && *state >= 0 && *state < static_cast<std::int64_t>(kNames.size())
               ? kNames.at(static_cast<std::size_t>(*state))
               : "not measured";
}

std::vector<Link> linksOf(const Report& report)
{
    std::vector<Link> links;
    const auto add = [&](std::string_view kind, std::vector<metrics::Port> ports) {
        std::vector<metrics::LinkUse> uses = metrics::linkUsesOf(report.model, report.metrics, ports);
        for (std::size_t i = 0; i < ports.size(); ++i) {
            links.push_back({kind, std::move(ports[i]), std::move(uses[i])});
        }
    };
    add("rdma", report.metrics.ports);
    add("network", metrics::interfacesOf(report.model));
    return links;
}

std::string linkSentence(const Report& report)
{
    constexpr std::size_t kNamed = 2;
    std::vector<const Link*> measured;
    const std::vector<Link> links = linksOf(report);
    for (const Link& link : links) {
        if (link.use.communicationBitsPerNs && link.port.carried() == std::optional(true)) {
            measured.push_back(&link);
        }
    }
    if (measured.empty()) {
        return links.empty() ? "Links: not measured, because no port and no interface was sampled."
                             : "Links: not measured in communication: no port or interface carried data "
                               "while steps with communication were sampled.";
    }
    std::ranges::stable_sort(measured, std::ranges::greater{},
                             [](const Link* link) { return *link->use.communicationBitsPerNs; });
    std::string text = "Links: " + carriedText(*measured.front());
    for (std::size_t i = 1; i < std::min(kNamed, measured.size()); ++i) {
        text += "; " + carriedText(*measured[i]);
    }
    return text +
           (measured.size() > kNamed ? fmt::format("; {} more carry less.", measured.size() - kNamed) : ".");
}

Json linksJson(const Report& report)
{
    Json links = Json::array();
    for (const Link& link : linksOf(report)) {
        links.push_back(portJson(report, link));
    }
    return links;
}

} // namespace ringside::report
