// SPDX-License-Identifier: Apache-2.0
// What the rules about sockets share: which interface of a host carried the data, what else it has, and what
// its kernel is set to.
#pragma once
#include "rules/device_samples.h"
#include "rules/settings.h"
#include "values/parse_number.h"

#include <map>

namespace ringside::rules {

struct Interface {
    std::string name;
    double sentBytes = 0;      ///< over the run
    std::int64_t mbps = 0;     ///< 0: not known
    std::int64_t pcieMbps = 0; ///< of data that its card's link carries; 0: not known
    bool card = false;         ///< a device is behind it
    bool up = false;
    std::string master; ///< the bond or bridge it belongs to; empty: none
};

/// A host as the process that sampled it says.
struct SocketHost {
    std::string name;
    const trace::ProcessTrace* sampler = nullptr;
    std::optional<std::size_t> rank; ///< of Model::ranks: one on this host, for evidence
    std::map<std::string, Interface> interfaces;

    /// The one that sent most, but for the loopback; null: none sent anything.
    [[nodiscard]] const Interface* busiest() const
    {
        const Interface* best = nullptr;
        for (const auto& [own, interface] : interfaces) {
            const bool sends = own != "lo" && interface.sentBytes > 0;
            best = sends && (best == nullptr || interface.sentBytes > best->sentBytes) ? &interface : best;
        }
        return best;
    }
    [[nodiscard]] std::string_view kernel(std::string_view setting) const
    {
        return settingOf(*sampler, "kernel", setting).value_or("");
    }
};

inline void addInterfaceFacts(SocketHost& host)
{
    constexpr std::int64_t kMostMbps = 10'000'000; // more is damage
    for (const trace::SettingRow& row : host.sampler->settings) {
        const std::size_t blank = row.name.rfind(' ');
        if (row.source != "network" || blank == std::string::npos) {
            continue;
        }
        Interface& interface = host.interfaces[row.name.substr(0, blank)];
        const std::string_view fact = std::string_view(row.name).substr(blank + 1);
        for (const auto& [name, value] :
             {std::pair("speed_mbps", &interface.mbps), std::pair("pcie_mbps", &interface.pcieMbps)}) {
            const auto mbps = fact == name ? values::parseNumber<std::int64_t>(row.value) : std::nullopt;
            *value = mbps && *mbps > 0 && *mbps <= kMostMbps ? *mbps : *value;
        }
        interface.card = interface.card || (fact == "physical" && row.value == "yes");
        interface.up = interface.up || (fact == "operstate" && row.value == "up");
        interface.master = fact == "master" ? row.value : interface.master;
    }
}

/// Hosts whose interfaces were sampled, by name.
[[nodiscard]] inline std::vector<SocketHost> socketHosts(const Context& context)
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

/// Sent by the RDMA ports of a host; null: not measured.
[[nodiscard]] inline std::optional<double> rdmaBytes(const Context& context, const std::string& host)
{
    std::optional<double> sum;
    for (const metrics::Port& port : context.figures.ports) {
        if (const auto bytes = port.gain("tx_bytes"); bytes && port.host == host) {
            sum = sum.value_or(0) + static_cast<double>(*bytes);
        }
    }
    return sum;
}

/// Whether an interface can have carried the gradients: it sent enough, and RDMA did not send more.
[[nodiscard]] inline bool carriesGradients(const Context& context, const SocketHost& host,
                                           const Interface& interface)
{
    return interface.sentBytes >= context.option("min_bytes") &&
           rdmaBytes(context, host.name).value_or(0) <= interface.sentBytes;
}

/// The whole run of a rank on that host, where it has one.
inline void addEvidence(const Context& context, const SocketHost& host, std::string what, Finding& finding)
{
    if (host.rank) {
        const model::Rank& rank = context.run.ranks[*host.rank];
        const trace::ProcessRow& process = context.run.processOf(rank).process;
        finding.evidence.push_back(
            evidence(rank, {process.startNs, process.endNs.value_or(process.startNs)}, std::move(what)));
    }
}

/// "eth0 of host0" or "host0"; several with commas, at most three.
[[nodiscard]] inline std::string hostsText(const std::vector<std::string>& hosts)
{
    constexpr std::size_t kNamed = 3;
    std::string text;
    for (std::size_t i = 0; i < std::min(kNamed, hosts.size()); ++i) {
        text += (i == 0 ? "" : ", ") + hosts[i];
    }
    return text + (hosts.size() > kNamed ? fmt::format(" and {} more", hosts.size() - kNamed) : "");
}

inline constexpr double kGradientBytes = 1e8; ///< less is no gradients
inline const NotApplicable kOneHost{"all ranks are on one host"};
inline const NotApplicable kNeedsSockets{"needs the traffic and the speed of network interfaces (tier "
                                         "sampled, sources network and host_network)"};

} // namespace ringside::rules
