// SPDX-License-Identifier: Apache-2.0
#include "report/links.h"

#include "report/json_value.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace ringside::report {
namespace {

Health healthOf(rules::Severity severity)
{
    return severity == rules::Severity::Problem   ? Health::Problem
           : severity == rules::Severity::Warning ? Health::Warning
                                                  : Health::Ok;
}

bool nvlinkIsMeasured(const Report& report)
{
    for (const trace::ProcessTrace& process : report.model.trace.processes) {
        for (const trace::SeriesRow& row : process.series) {
            const auto id = static_cast<std::uint32_t>(row.id);
            if (row.source == "nvml" && row.metric.starts_with("nvlink") &&
                std::find(process.samples.series.begin(), process.samples.series.end(), id) !=
                    process.samples.series.end()) {
                return true;
            }
        }
    }
    return false;
}

/// Over the time between all readings, and the most between two.
Json utilizationJson(const metrics::Port& port, std::string_view metric)
{
    std::optional<double> most;
    for (const metrics::Gain& each : port.gains(metric)) {
        const auto here = port.utilization(metric, each.between);
        most = here ? std::max(most.value_or(0), *here) : most;
    }
    return {{"mean", orNull(port.utilization(metric, port.sampled()))}, {"max", orNull(most)}};
}

Json portJson(const Report& report, const metrics::Port& port)
{
    Json counters = Json::object();
    for (const auto& [metric, values] : port.values) {
        if (!isState(metric)) {
            counters[metric] = orNull(port.gain(metric));
        }
    }
    return {{"host", port.host},
            {"port", port.name},
            {"health", healthName(healthOf(report, port))},
            {"state", stateName(port.last("state"))},
            {"rate_mbps", orNull(port.last("rate_mbps"))},
            {"mtu_bytes", orNull(port.last("mtu_bytes"))},
            {"carried_data", orNull(port.carried())},
            {"tx_utilization", utilizationJson(port, "tx_bytes")},
            {"rx_utilization", utilizationJson(port, "rx_bytes")},
            {"facts", port.facts},
            {"gained", counters},
            {"not_measured", port.missing}};
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
        if (rule != all.end() && (*rule)->judgesLinks) {
            found.push_back(&finding);
        }
    }
    return found;
}

Health linkHealth(const Report& report)
{
    if (report.metrics.ports.empty() && !nvlinkIsMeasured(report)) {
        return Health::NotMeasured;
    }
    Health worst = Health::Ok;
    for (const rules::Finding* finding : linkFindings(report)) {
        worst = std::max(worst, healthOf(finding->severity));
    }
    return worst;
}

Health healthOf(const Report& report, const metrics::Port& port)
{
    if (!port.last("state")) {
        return Health::NotMeasured;
    }
    Health worst = Health::Ok;
    for (const rules::Finding* finding : linkFindings(report)) {
        if (std::find(finding->links.begin(), finding->links.end(), port.label()) != finding->links.end()) {
            worst = std::max(worst, healthOf(finding->severity));
        }
    }
    return worst;
}

bool isState(std::string_view metric)
{
    constexpr std::array<std::string_view, 6> kStates{"state", "physical_state", "rate_mbps",
                                                      "lanes", "mtu_bytes",      "pcie_mbps"};
    return std::find(kStates.begin(), kStates.end(), metric) != kStates.end();
}

std::string_view stateName(std::optional<std::int64_t> state)
{
    constexpr std::array<std::string_view, 6> kNames{"NOP",   "DOWN",   "INIT",
                                                     "ARMED", "ACTIVE", "ACTIVE_DEFER"};
    return state && *state >= 0 && *state < static_cast<std::int64_t>(kNames.size())
               ? kNames.at(static_cast<std::size_t>(*state))
               : "not measured";
}

Json linksJson(const Report& report)
{
    Json links = Json::array();
    for (const metrics::Port& port : report.metrics.ports) {
        links.push_back(portJson(report, port));
    }
    return links;
}

} // namespace ringside::report
