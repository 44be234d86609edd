// SPDX-License-Identifier: Apache-2.0
// The interface that NCCL's sockets would use, by the rules of its user guide (NCCL_SOCKET_IFNAME,
// NCCL_SOCKET_FAMILY).
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::probe {

struct Interface {
    std::string name;
    std::string address; ///< numeric, as getnameinfo writes it
    bool ipv6 = false;
};

/// Returns the interfaces of this host that are up, one entry for each address, without link-local IPv6
/// addresses.
[[nodiscard]] std::vector<Interface> interfacesUp();

/// `names`: NCCL_SOCKET_IFNAME (prefixes; `^` excludes, `=` matches whole names). Empty: ib* first, then
/// those that are neither docker* nor lo, then docker*, then lo. `family`: AF_INET, AF_INET6 or empty (IPv4
/// first).
[[nodiscard]] std::optional<Interface> ncclWouldUse(const std::vector<Interface>& up, std::string_view names,
                                                    std::string_view family);

} // namespace ringside::probe
