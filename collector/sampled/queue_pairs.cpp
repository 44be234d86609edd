// SPDX-License-Identifier: Apache-2.0
#include "sampled/queue_pairs.h"

#include <unistd.h>

namespace ringside::collector::sampled {
namespace {

/// Kernels name the process, or the thread of it that made the queue pair.
bool isOurTask(std::uint32_t task)
{
    return task == static_cast<std::uint32_t>(getpid()) ||
           access(("/proc/self/task/" + std::to_string(task)).c_str(), F_OK) == 0;
}

struct Owners {
    std::uint64_t own = 0;
    bool unknown = false;
};

Owners ownersOn(std::uint32_t port, std::uint32_t ports, const std::vector<netlink::QueuePair>& pairs,
                const std::function<bool(std::uint32_t)>& isOwn)
{
    Owners owners;
    for (const netlink::QueuePair& pair : pairs) {
        const bool here = pair.port.value_or(ports == 1 ? 1 : port) == port;
        if (!here || pair.ofKernel) {
            continue;
        }
        const bool own = pair.task && isOwn(*pair.task);
        owners.own += own && (pair.port || ports == 1) ? 1 : 0;
        owners.unknown = owners.unknown || !pair.task || (own && !pair.port && ports > 1);
    }
    return owners;
}

} // namespace

void QueuePairs::read(Readings& readings, Pace pace)
{
    constexpr int kEvery = 5; // a host may have thousands
    if (pace != Pace::OnceASecond || m_untilNext-- > 0) {
        return;
    }
    m_untilNext = kEvery - 1;
    for (const netlink::Device& device : m_netlink.devices().value_or(std::vector<netlink::Device>())) {
        if (const auto pairs = m_netlink.queuePairs(device.index)) {
            tell(device, *pairs, isOurTask, readings);
        }
    }
}

void QueuePairs::tell(const netlink::Device& device, const std::vector<netlink::QueuePair>& pairs,
                      const std::function<bool(std::uint32_t)>& isOwn, Readings& readings)
{
    constexpr std::uint32_t kMostPorts = 64;
    for (std::uint32_t port = 1; port <= device.ports && port <= kMostPorts; ++port) {
        const std::string name = device.name + ":" + std::to_string(port);
        Series& series = m_series.try_emplace(name, Series{name, "queue_pairs"}).first->second;
        const Owners owners = ownersOn(port, device.ports, pairs, isOwn);
        if (owners.own > 0 || !owners.unknown) {
            readings.add(series, owners.own);
        } else {
            readings.miss(series, "the kernel does not tell the owner or the port of some queue pairs");
        }
    }
}

} // namespace ringside::collector::sampled
