// SPDX-License-Identifier: Apache-2.0
#include "reduce/share_hosts.h"

#include <map>

namespace ringside::reduce {

std::vector<std::size_t> shareHosts(const std::vector<std::string>& hosts,
                                    const std::vector<std::string>& places)
{
    std::map<std::string, std::size_t> firstOn;
    for (std::size_t i = 0; i < places.size(); ++i) {
        firstOn.emplace(places[i], i);
    }
    std::vector<std::size_t> owners;
    std::size_t next = 0;
    for (const std::string& host : hosts) {
        const auto here = firstOn.find(host);
        owners.push_back(here != firstOn.end() ? here->second : next++ % places.size());
    }
    return owners;
}

} // namespace ringside::reduce
