// SPDX-License-Identifier: Apache-2.0
// What the rules about sockets share: which interface of a host carried the data, what else it has, and what
// its kernel is set to.
#pragma once
#include "rules/shared/device_samples.h"
#include "rules/shared/settings.h"
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
/// Hosts whose interfaces were sampled, by name.
[[nodiscard]] std::vector<SocketHost> socketHosts(const Context& context);

/// Sent by the RDMA ports of a host; null: not measured.
[[nodiscard]] std::optional<double> rdmaBytes(const Context& context, const std::string& host);

/// Whether an interface can have carried the gradients: it sent enough, and RDMA did not send more.
[[nodiscard]] bool carriesGradients(const Context& context, const SocketHost& host,
                                    const Interface& interface);

/// The whole run of a rank on that host, where it has one.
void addEvidence(const Context& context, const SocketHost& host, std::string what, Finding& finding);

/// "eth0 of host0" or "host0"; several with commas, at most three.
[[nodiscard]] std::string hostsText(const std::vector<std::string>& hosts);

inline constexpr double kGradientBytes = 1e8; ///< less is no gradients
inline const NotApplicable kOneHost{"all ranks are on one host"};
inline const NotApplicable kNeedsSockets{"needs the traffic and the speed of network interfaces (tier "
                                         "sampled, sources network and host_network)"};

} // namespace ringside::rules
