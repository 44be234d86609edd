// SPDX-License-Identifier: Apache-2.0
#include "hosts.h"

#include <gloo/rendezvous/store.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <set>
#include <vector>

namespace ringside::nccl {
namespace {

std::string keyOf(int rank)
{
    return "host of rank " + std::to_string(rank);
}

} // namespace

std::string hostIdentity()
{
    if (const char* id = std::getenv("NCCL_HOSTID"))
        return id;
    std::array<char, 256> name{};
    ::gethostname(name.data(), name.size() - 1);
    std::string boot;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
    return name.data() + boot;
}

void announceHost(gloo::rendezvous::Store& store, int rank)
{
    const std::string identity = hostIdentity();
    store.set(keyOf(rank), {identity.begin(), identity.end()});
}

Hosts findHosts(gloo::rendezvous::Store& store, int rank, int size)
{
    std::vector<std::vector<char>> hosts;
    for (int other = 0; other < size; ++other)
        hosts.push_back(store.get(keyOf(other)));
    const std::vector<char>& own = hosts[static_cast<std::size_t>(rank)];
    Hosts result{.localRanks = 0};
    for (int other = 0; other < size; ++other) {
        const bool local = hosts[static_cast<std::size_t>(other)] == own;
        result.localRanks += local ? 1 : 0;
        result.localRank += local && other < rank ? 1 : 0;
    }
    result.nodes = static_cast<int>(std::set(hosts.begin(), hosts.end()).size());
    return result;
}

} // namespace ringside::nccl
