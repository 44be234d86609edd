// SPDX-License-Identifier: Apache-2.0
#include "cli/host_shares.h"

#include "cli/team.h"
#include "host/process.h"
#include "reduce/share_hosts.h"

namespace ringside::cli {

std::vector<bool> ownHosts(const std::vector<std::string>& hosts)
{
    stretches::Team* const all = team();
    if (all == nullptr) {
        return std::vector<bool>(hosts.size(), true);
    }
    std::vector<std::size_t> owners(hosts.size());
    if (all->rank() > 0) {
        all->send(host::hostName());
    } else {
        std::vector<std::string> places{host::hostName()};
        for (std::size_t i = 1; i < all->size(); ++i) {
            places.push_back(all->receive(i));
        }
        owners = reduce::shareHosts(hosts, places);
    }
    std::vector<bool> own;
    for (const std::size_t owner : owners) {
        own.push_back(all->agree(owner) == all->rank());
    }
    return own;
}

} // namespace ringside::cli
