// SPDX-License-Identifier: Apache-2.0
#include "report/host_map.h"

#include "report/sentences.h"
#include "rules/shared/nearest_port.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace ringside::report {
namespace {

constexpr std::string_view kJudgesConnections = "slow_link";

using PortsByHost = std::map<std::string, std::vector<MapPort>, std::less<>>;

PortsByHost portsByHost(const Report& report)
{
    PortsByHost byHost;
    std::size_t row = 0; // as in linksOf(): the RDMA ports, then the interfaces
    for (const std::vector<metrics::Port>& ports :
         {report.metrics.ports, metrics::interfacesOf(report.model)}) {
        for (const metrics::Port& port : ports) {
            byHost[port.host].push_back({row++, port.name, healthOf(report, port), {}});
        }
    }
    return byHost;
}

void addNearRanks(const Report& report, MapHost& host)
{
    for (const model::Rank& rank : report.model.ranks) {
        if (rank.host != host.host) {
            continue;
        }
        host.ranks.push_back(rank.rank);
        const auto near = rules::nearestOf(report.model, report.metrics.ports, rank).any;
        const auto port =
            near ? std::ranges::find(host.ports, near->port->name, &MapPort::name) : host.ports.end();
        if (port != host.ports.end()) {
            port->nearRanks.push_back(rank.rank);
        }
    }
}

std::vector<MapHost> hostsOf(const Report& report)
{
    std::vector<MapHost> hosts;
    PortsByHost ports = portsByHost(report);
    for (std::size_t i = 0; i < report.model.hosts.size(); ++i) {
        const auto rank = std::ranges::find(report.model.ranks, i, &model::Rank::host);
        if (rank == report.model.ranks.end()) {
            continue;
        }
        const std::string& name = report.model.hosts[i].name;
        MapHost& host = hosts.emplace_back(
            MapHost{i, name.empty() ? fmt::format("host of rank {}", rank->rank) : name, {}, {}});
        if (const auto own = ports.find(name); own != ports.end()) {
            host.ports = std::move(own->second);
        }
        addNearRanks(report, host);
    }
    return hosts;
}

/// Whether a finding is about what `pair` carries: by the names of hosts, or by two ranks on them.
bool names(const model::Model& model, const rules::Finding& finding, const metrics::HostTraffic& pair)
{
    const std::string link =
        fmt::format("{} -> {}", model.hosts[pair.sender].name, model.hosts[pair.receiver].name);
    if (std::ranges::find(finding.links, link) != finding.links.end()) {
        return true;
    }
    if (finding.rule != kJudgesConnections || !finding.links.empty() || finding.ranks.size() != 2) {
        return false;
    }
    const auto isOn = [&](std::int64_t number, std::size_t host) {
        const auto rank = std::ranges::find(model.ranks, number, &model::Rank::rank);
        return rank != model.ranks.end() && rank->host == host;
    };
    return isOn(finding.ranks[0], pair.sender) && isOn(finding.ranks[1], pair.receiver);
}

Health severityHealth(rules::Severity severity)
{
    return severity == rules::Severity::Problem   ? Health::Problem
           : severity == rules::Severity::Warning ? Health::Warning
                                                  : Health::NotMeasured;
}

std::vector<Connection> connectionsOf(const Report& report, const metrics::HostsTraffic& traffic)
{
    const bool judged = std::ranges::find(report.notApplicable, kJudgesConnections, &MissingRule::rule) ==
                        report.notApplicable.end();
    std::vector<Connection> connections;
    for (const metrics::HostTraffic& pair : traffic.pairs) {
        Connection& each = connections.emplace_back(Connection{pair, Health::NotMeasured, {}});
        each.health = judged && pair.gbs ? Health::Ok : Health::NotMeasured;
        for (const rules::Finding& finding : report.findings) {
            if (names(report.model, finding, pair)) {
                each.findings.push_back(&finding);
                each.health = std::max(each.health, severityHealth(finding.severity));
            }
        }
    }
    return connections;
}

} // namespace

HostMap hostMapOf(const Report& report)
{
    const metrics::HostsTraffic traffic = metrics::hostTrafficOf(report.model);
    return {hostsOf(report), traffic.source, connectionsOf(report, traffic)};
}

document::Table connectionTable(const Report& report, const HostMap& map)
{
    const auto nameOf = [&](std::size_t host) {
        return std::ranges::find(map.hosts, host, &MapHost::host)->name;
    };
    document::Table table{{"from", "to", "sent", "rate\nGB/s", "sent\nagain", "health", "what was found"},
                          {}};
    for (const Connection& each : map.connections) {
        std::string found;
        for (const rules::Finding* const finding : each.findings) {
            found += (found.empty() ? "" : "; ") + report.sentence(finding->title);
        }
        table.rows.push_back({nameOf(each.traffic.sender), nameOf(each.traffic.receiver),
                              document::sizeCell(static_cast<double>(each.traffic.bytes)),
                              document::Cell(each.traffic.gbs, values::Unit::GigabytesPerSecond,
                                             {.kind = document::NumberStyle::Kind::Significant, .digits = 3}),
                              each.traffic.retransmits
                                  ? document::Cell(*each.traffic.retransmits)
                                  : document::Cell::absent("segments are counted on TCP connections only"),
                              healthName(each.health),
                              found.empty() ? document::Cell() : document::Cell(found)});
    }
    return table;
}

document::Table hostTable(const HostMap& map)
{
    document::Table table{{"host", "ranks", "ports", "not ok", "ports nearest to the GPUs of ranks"}, {}};
    for (const MapHost& host : map.hosts) {
        std::string notOk;
        std::string nearest;
        for (const MapPort& port : host.ports) {
            if (port.health != Health::Ok) {
                notOk +=
                    fmt::format("{}{} {}", notOk.empty() ? "" : ", ", port.name, healthName(port.health));
            }
            if (!port.nearRanks.empty()) {
                nearest +=
                    fmt::format("{}{}: {}", nearest.empty() ? "" : ", ", port.name, rankList(port.nearRanks));
            }
        }
        table.rows.push_back(
            {host.name, rankList(host.ranks), host.ports.size(),
             notOk.empty() ? document::Cell() : document::Cell(notOk),
             nearest.empty() ? document::Cell::absent("the places of GPUs and ports on PCIe are not known")
                             : document::Cell(nearest)});
    }
    return table;
}

std::vector<const rules::Finding*> findingsOf(const Report& report, const MapHost& host, const MapPort& port)
{
    const std::string label = report.model.hosts[host.host].name + " " + port.name;
    std::vector<const rules::Finding*> found;
    for (const rules::Finding& finding : report.findings) {
        if (std::ranges::find(finding.links, label) != finding.links.end()) {
            found.push_back(&finding);
        }
    }
    return found;
}

} // namespace ringside::report
