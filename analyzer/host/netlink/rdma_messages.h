// SPDX-License-Identifier: Apache-2.0
// What RDMA netlink's messages say (the kernel's rdma/rdma_netlink.h). They are read as if a stranger had
// written them: no length in them is believed beyond the bytes that are there, and what is damaged is not
// there.
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

/// What a datagram came to, after its messages were handed over.
struct Answer {
    bool finished = false; ///< nothing more belongs to this request
    int error = 0;         ///< an errno of the kernel; EBADMSG: a message is damaged
};
/// Hands over the attributes of each message that answers request `sequence`; others are passed over.
[[nodiscard]] Answer readDatagram(Bytes datagram, std::uint32_t sequence,
                                  const std::function<void(Bytes)>& take);

struct Device {
    std::uint32_t index = 0;
    std::string name;
    std::uint32_t ports = 0;
};
/// Of an answer to RDMA_NLDEV_CMD_GET.
[[nodiscard]] std::optional<Device> deviceIn(Bytes attributes);

using Counters = std::map<std::string, std::uint64_t, std::less<>>;
/// Of an answer to RDMA_NLDEV_CMD_STAT_GET, by the driver's names.
[[nodiscard]] Counters countersIn(Bytes attributes);

struct QueuePair {
    std::optional<std::uint32_t> port; ///< none: not told, or not bound to one yet
    std::optional<std::uint32_t>
        task; ///< that made it, as this process's PID namespace counts; none: not told
    bool ofKernel = false;
};
/// Of an answer to RDMA_NLDEV_CMD_RES_QP_GET.
[[nodiscard]] std::vector<QueuePair> queuePairsIn(Bytes attributes);

} // namespace ringside::host::netlink
