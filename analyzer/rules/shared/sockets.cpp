// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/sockets.h"

#include "words/sockets.h"

#include <algorithm>

namespace ringside::rules {
namespace {

void addInterfaceFacts(SocketHost& host)
{
    constexpr std::int64_t kMostMbps = 10'000'000; // more is a damaged value
    for (const trace::SettingRow& row : host.sampler->settings) {
        const std::size_t blank = row.name.rfind(' ');
        if (row.source != "network" || blank == std::string::npos) {
            continue;
        }
        Interface& interface = host.interfaces[row.name.substr(0, blank)];
        const trace::PortFact fact = trace::PortFact::stored(row.name.substr(blank + 1));
        for (const auto& [name, value] : {std::pair(trace::PortFact("speed_mbps"), &interface.mbps),
                                          std::pair(trace::PortFact("pcie_mbps"), &interface.pcieMbps)}) {
            const auto mbps = fact == name ? values::parseNumber<std::int64_t>(row.value) : std::nullopt;
            *value = mbps && *mbps > 0 && *mbps <= kMostMbps ? *mbps : *value;
        }
        interface.card = interface.card || (fact == "physical" && row.value == "yes");
        interface.up = interface.up || (fact == "operstate" && row.value == "up");
        interface.master = fact == "master" ? row.value : interface.master;
    }
}

} // namespace

std::vector<SocketHost> socketHosts(const Context& context)
{
    std::map<std::string, SocketHost> hosts;
    for (const trace::ProcessTrace& process : context.run.trace.processes) {
        for (const trace::SeriesRow& row : process.series) {
            if (row.source != "network" || row.metric != "tx_bytes") {
                continue;
            }
            SocketHost& host = hosts[process.process.host];
            host.name = process.process.host;
            host.sampler = host.sampler == nullptr ? &process : host.sampler;
            const auto gain = metrics::gainIn(process, {row.source, row.entity, row.metric}, wholeLife());
            host.interfaces[row.entity].sentBytes += static_cast<double>(gain.value_or(0));
        }
    }
    std::vector<SocketHost> all;
    for (auto& [name, host] : hosts) {
        addInterfaceFacts(host);
        for (auto& [interface, facts] : host.interfaces) {
            facts.name = interface;
        }
        for (std::size_t i = 0; i < context.run.ranks.size() && !host.rank; ++i) {
            const bool here = context.run.processOf(context.run.ranks[i]).process.host == name;
            host.rank = here ? std::optional(i) : std::nullopt;
        }
        all.push_back(std::move(host));
    }
    return all;
}

std::optional<double> rdmaBytes(const Context& context, const std::string& host)
{
    std::optional<double> sum;
    for (const metrics::Port& port : context.figures.ports) {
        if (const auto bytes = port.gain("tx_bytes"); bytes && port.host == host) {
            sum = sum.value_or(0) + static_cast<double>(*bytes);
        }
    }
    return sum;
}

bool carriesGradients(const Context& context, const SocketHost& host, const Interface& interface)
{
    return interface.sentBytes >= context.option("min_bytes") &&
           rdmaBytes(context, host.name).value_or(0) <= interface.sentBytes;
}

void addEvidence(const Context& context, const SocketHost& host, words::Text what, Finding& finding)
{
    if (host.rank) {
        const model::Rank& rank = context.run.ranks[*host.rank];
        const trace::ProcessRow& process = context.run.processOf(rank).process;
        finding.evidence.push_back(
            evidence(rank, {process.startNs, process.endNs.value_or(process.startNs)}, std::move(what)));
    }
}

words::Text hostsText(const std::vector<std::string>& hosts)
{
    constexpr std::ptrdiff_t kNamed = 3;
    const std::ptrdiff_t more = std::ssize(hosts) - kNamed;
    return more <= 0 ? say(words::sockets::named, {{"hosts", hosts}})
                     : say(words::sockets::and_more,
                           {{"hosts", std::vector(hosts.begin(), hosts.begin() + kNamed)}, {"more", more}});
}

} // namespace ringside::rules
