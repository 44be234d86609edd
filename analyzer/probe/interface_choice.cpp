// SPDX-License-Identifier: Apache-2.0
#include "probe/interface_choice.h"

#include "probe/name_pattern.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>

#include <memory>

namespace ringside::probe {
namespace {

bool ofFamily(const Interface& each, std::string_view family)
{
    return family == "AF_INET6" ? each.ipv6 : family == "AF_INET" ? !each.ipv6 : true;
}

std::optional<Interface> firstOf(const std::vector<Interface>& up, const NamePattern& pattern,
                                 std::string_view family)
{
    // IPv4 before IPv6 if the family is not set.
    for (const bool ipv6 : {false, true}) {
        for (const Interface& each : up) {
            if (each.ipv6 == ipv6 && ofFamily(each, family) && pattern.matches(each.name)) {
                return each;
            }
        }
    }
    return std::nullopt;
}

} // namespace

std::vector<Interface> interfacesUp()
{
    ifaddrs* list = nullptr;
    if (getifaddrs(&list) != 0) {
        return {};
    }
    const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(list, &freeifaddrs);
    std::vector<Interface> up;
    for (const ifaddrs* each = list; each != nullptr; each = each->ifa_next) {
        const int family = each->ifa_addr != nullptr ? each->ifa_addr->sa_family : AF_UNSPEC;
        if ((each->ifa_flags & IFF_UP) == 0 || (family != AF_INET && family != AF_INET6)) {
            continue;
        }
        if (family == AF_INET6 &&
            IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6*>(each->ifa_addr)->sin6_addr)) {
            continue;
        }
        char text[NI_MAXHOST];
        const socklen_t bytes = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
        if (getnameinfo(each->ifa_addr, bytes, text, sizeof text, nullptr, 0, NI_NUMERICHOST) == 0) {
            up.push_back({each->ifa_name, text, family == AF_INET6});
        }
    }
    return up;
}

std::optional<Interface> ncclWouldUse(const std::vector<Interface>& up, std::string_view names,
                                      std::string_view family)
{
    if (!names.empty()) {
        return firstOf(up, NamePattern(names), family);
    }
    for (const std::string_view usual : {"ib", "^docker,lo", "docker", "lo"}) {
        if (const auto found = firstOf(up, NamePattern(usual), family)) {
            return found;
        }
    }
    return std::nullopt;
}

} // namespace ringside::probe
