// SPDX-License-Identifier: Apache-2.0
#include "network_interface.h"

#include "errors.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

namespace ringside::nccl {
namespace {

std::string_view requestedInterfaces()
{
    const char* const value = std::getenv("NCCL_SOCKET_IFNAME");
    return value == nullptr ? "" : value;
}

/// Returns a rank of preference, smaller is better; nothing for an unusable address.
std::optional<int> preference(const ifaddrs& entry)
{
    if (entry.ifa_addr == nullptr || (entry.ifa_flags & IFF_UP) == 0)
        return std::nullopt;
    const int family = entry.ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6)
        return std::nullopt;
    if (family == AF_INET6 &&
        IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6*>(entry.ifa_addr)->sin6_addr))
        return std::nullopt;
    const std::string_view requested = requestedInterfaces();
    if (!requested.empty() && !interfaceMatches(requested, entry.ifa_name))
        return std::nullopt;
    const bool loopback = (entry.ifa_flags & IFF_LOOPBACK) != 0;
    return (loopback && requested.empty() ? 2 : 0) + (family == AF_INET6 ? 1 : 0);
}

} // namespace

bool interfaceIsForced()
{
    return !requestedInterfaces().empty();
}

bool interfaceMatches(std::string_view pattern, std::string_view name)
{
    const bool exclude = pattern.starts_with('^');
    pattern.remove_prefix(exclude ? 1 : 0);
    const bool exact = pattern.starts_with('=');
    pattern.remove_prefix(exact ? 1 : 0);
    while (!pattern.empty()) {
        const auto end = pattern.find(',');
        const std::string_view item = pattern.substr(0, end);
        if (!item.empty() && (exact ? name == item : name.starts_with(item)))
            return !exclude;
        pattern = end == std::string_view::npos ? "" : pattern.substr(end + 1);
    }
    return exclude;
}

Address chooseInterface()
{
    ifaddrs* list = nullptr;
    if (::getifaddrs(&list) != 0)
        throw Failure(ncclSystemError, "cannot list the network interfaces");
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, &::freeifaddrs);
    const ifaddrs* best = nullptr;
    int bestPreference = 0;
    for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
        const std::optional<int> current = preference(*entry);
        if (current && (best == nullptr || *current < bestPreference)) {
            best = entry;
            bestPreference = *current;
        }
    }
    if (best == nullptr)
        throw Failure(ncclSystemError,
                      interfaceIsForced()
                          ? "no network interface that is up matches NCCL_SOCKET_IFNAME=" +
                                std::string(requestedInterfaces())
                          : "no network interface is up: bring up at least loopback (ip link set lo up)");
    Address address;
    address.length = best->ifa_addr->sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    std::memcpy(&address.storage, best->ifa_addr, address.length);
    address.setPort(0);
    return address;
}

} // namespace ringside::nccl
