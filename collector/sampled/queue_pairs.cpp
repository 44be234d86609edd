// SPDX-License-Identifier: Apache-2.0
#include "sampled/queue_pairs.h"

#include <unistd.h>

namespace ringside::collector::sampled {
namespace {

/// Kernels name the process, or the thread of it that made the queue pair. Near is what is in the same
/// session.
QueuePairs::Owner ownerOf(std::uint32_t task)
{
    const auto id = static_cast<pid_t>(task);
    if (id == getpid() || access(("/proc/self/task/" + std::to_string(task)).c_str(), F_OK) == 0) {
        return QueuePairs::Owner::Own;
    }
    return getsid(id) == getsid(0) ? QueuePairs::Owner::Near : QueuePairs::Owner::Other;
}

struct Owners {
    std::uint64_t own = 0;
    bool doubtful = false; ///< others may be the job's
};

Owners ownersOn(std::uint32_t port, std::uint32_t ports, const std::vector<host::netlink::QueuePair>& pairs,
                const std::function<QueuePairs::Owner(std::uint32_t)>& whose)
{
    Owners owners;
    for (const host::netlink::QueuePair& pair : pairs) {
        const bool here = pair.port.value_or(ports == 1 ? 1 : port) == port;
        if (!here || pair.ofKernel) {
            continue;
        }
        const bool placed = pair.port || ports == 1;
        const auto owner = pair.task ? whose(*pair.task) : QueuePairs::Owner::Near;
        owners.own += owner == QueuePairs::Owner::Own && placed ? 1 : 0;
        owners.doubtful = owners.doubtful || owner == QueuePairs::Owner::Near ||
                          (owner == QueuePairs::Owner::Own && !placed);
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
    for (const host::netlink::Device& device :
         m_netlink.devices().value_or(std::vector<host::netlink::Device>())) {
        if (const auto pairs = m_netlink.queuePairs(device.index)) {
            tell(device, *pairs, ownerOf, readings);
        }
    }
}

void QueuePairs::tell(const host::netlink::Device& device, const std::vector<host::netlink::QueuePair>& pairs,
                      const std::function<Owner(std::uint32_t)>& ownerOf, Readings& readings)
{
    constexpr std::uint32_t kMostPorts = 64;
    for (std::uint32_t port = 1; port <= device.ports && port <= kMostPorts; ++port) {
        const std::string name = device.name + ":" + std::to_string(port);
        Series& series =
            m_series.try_emplace(name, Series{name, trace::SeriesName::QueuePairs}).first->second;
        const Owners owners = ownersOn(port, device.ports, pairs, ownerOf);
        if (owners.own > 0 || !owners.doubtful) {
            readings.add(series, owners.own);
        } else {
            readings.miss(series,
                          "queue pairs of this session, or whose owner or port the kernel does not tell");
        }
    }
}

} // namespace ringside::collector::sampled
