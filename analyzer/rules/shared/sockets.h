// SPDX-License-Identifier: Apache-2.0
// Helpers for rules about sockets: which interface of a host carried the data, which others it has, and the
// settings of its kernel.
#pragma once
#include "rules/shared/device_samples.h"
#include "rules/shared/settings.h"
#include "values/parse_number.h"
#include "words/sockets.h"

#include <map>

namespace ringside::rules {

struct Interface {
    std::string name;
    double sentBytes = 0;      ///< over the run
    std::int64_t mbps = 0;     ///< link rate; 0 if not known
    std::int64_t pcieMbps = 0; ///< data rate of the card's PCIe link; 0 if not known
    bool card = false;         ///< it has a physical device
    bool up = false;
    std::string master; ///< the bond or bridge it belongs to; empty if none
};

/// A host as sampled by one of its processes.
struct SocketHost {
    std::string name;
    const trace::ProcessTrace* sampler = nullptr;
    std::optional<std::size_t> rank; ///< index of Model::ranks: a rank on this host, for evidence
    std::map<std::string, Interface> interfaces;

    /// Returns the interface that sent most, except the loopback; null if none sent anything.
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
        return foreignSettingOf(*sampler, "kernel", setting).value_or("");
    }
};
/// Returns the hosts whose interfaces were sampled, ordered by name.
[[nodiscard]] std::vector<SocketHost> socketHosts(const Context& context);

/// Returns the bytes that the RDMA ports of a host sent; null if not measured.
[[nodiscard]] std::optional<double> rdmaBytes(const Context& context, const std::string& host);

/// Returns true if an interface can have carried the gradients: it sent enough, and RDMA did not send more.
[[nodiscard]] bool carriesGradients(const Context& context, const SocketHost& host,
                                    const Interface& interface);

/// Adds the whole run of a rank on that host as evidence, if it has one.
void addEvidence(const Context& context, const SocketHost& host, words::Text what, Finding& finding);

/// Joins up to three names with commas: "host0, host1, host2 and 2 more".
[[nodiscard]] words::Text hostsText(const std::vector<std::string>& hosts);

inline constexpr double kGradientBytes = 1e8; ///< less traffic cannot be the gradients of a run
inline const NotApplicable kOneHost{words::sockets::one_host};
inline const NotApplicable kNeedsSockets{words::sockets::needs};

} // namespace ringside::rules
