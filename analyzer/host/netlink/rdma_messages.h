// SPDX-License-Identifier: Apache-2.0
// Parses messages of RDMA netlink (the kernel's rdma/rdma_netlink.h). They are treated as untrusted: lengths
// are limited to the bytes that exist, and damaged parts are skipped.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ringside::host::netlink {

using Bytes = std::span<const std::byte>;

/// Result of a datagram, after its messages were passed on.
struct Answer {
    bool finished = false; ///< no more datagrams belong to this request
    int error = 0;         ///< an errno of the kernel; EBADMSG if a message is damaged
};
/// Passes on the attributes of each message that answers request `sequence`; skips others.
[[nodiscard]] Answer readDatagram(Bytes datagram, std::uint32_t sequence,
                                  const std::function<void(Bytes)>& take);

struct Device {
    std::uint32_t index = 0;
    std::string name;
    std::uint32_t ports = 0;
};
/// Parses an answer to RDMA_NLDEV_CMD_GET.
[[nodiscard]] std::optional<Device> deviceIn(Bytes attributes);

using Counters = std::map<std::string, std::uint64_t, std::less<>>;
/// Parses an answer to RDMA_NLDEV_CMD_STAT_GET; names are the driver's.
[[nodiscard]] Counters countersIn(Bytes attributes);

struct QueuePair {
    std::optional<std::uint32_t> port; ///< null if not reported, or not bound to a port yet
    std::optional<std::uint32_t>
        task; ///< task that created it, as seen in this process's PID namespace; null if not reported
    bool ofKernel = false;
};
/// Parses an answer to RDMA_NLDEV_CMD_RES_QP_GET.
[[nodiscard]] std::vector<QueuePair> queuePairsIn(Bytes attributes);

} // namespace ringside::host::netlink
