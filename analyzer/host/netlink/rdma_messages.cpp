// SPDX-License-Identifier: Apache-2.0
#include "host/netlink/rdma_messages.h"

#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace ringside::host::netlink {
namespace {

std::size_t padded(std::size_t length)
{
    return (length + NLA_ALIGNTO - 1) / NLA_ALIGNTO * NLA_ALIGNTO;
}

/// Calls `take(type, value)` for each whole attribute.
template <class Take>
void forEachAttribute(Bytes rest, const Take& take)
{
    while (rest.size() >= sizeof(nlattr)) {
        nlattr header{};
        std::memcpy(&header, rest.data(), sizeof header);
        if (header.nla_len < sizeof header || header.nla_len > rest.size()) {
            return;
        }
        take(header.nla_type & NLA_TYPE_MASK, rest.subspan(sizeof header, header.nla_len - sizeof header));
        rest = rest.subspan(std::min(rest.size(), padded(header.nla_len)));
    }
}

template <class Number>
std::optional<Number> numberIn(Bytes value)
{
    Number number{};
    if (value.size() < sizeof number) {
        return std::nullopt;
    }
    std::memcpy(&number, value.data(), sizeof number);
    return number;
}

std::string textIn(Bytes value)
{
    const std::string_view text(reinterpret_cast<const char*>(value.data()), value.size());
    return std::string(text.substr(0, text.find('\0')));
}

QueuePair queuePairIn(Bytes entry)
{
    QueuePair pair;
    forEachAttribute(entry, [&pair](int type, Bytes value) {
        if (type == RDMA_NLDEV_ATTR_PORT_INDEX) {
            pair.port = numberIn<std::uint32_t>(value);
        } else if (type == RDMA_NLDEV_ATTR_RES_PID) {
            pair.task = numberIn<std::uint32_t>(value);
        } else if (type == RDMA_NLDEV_ATTR_RES_KERN_NAME) {
            pair.ofKernel = true;
        }
    });
    if (pair.port == 0U) {
        pair.port.reset();
    }
    if (pair.task == 0U) {
        pair.task.reset();
    }
    return pair;
}

/// Both ends of an answer start with 0 or a negative errno; at the end of a dump it may be missing.
int errorIn(Bytes payload, bool required)
{
    constexpr std::int32_t kLargest = 4095;
    const auto error = numberIn<std::int32_t>(payload);
    if (!error) {
        return required ? EBADMSG : 0;
    }
    return *error > 0 || *error < -kLargest ? EBADMSG : -*error;
}

} // namespace

Answer readDatagram(Bytes rest, std::uint32_t sequence, const std::function<void(Bytes)>& take)
{
    while (rest.size() >= sizeof(nlmsghdr)) {
        nlmsghdr header{};
        std::memcpy(&header, rest.data(), sizeof header);
        if (header.nlmsg_len < sizeof header || header.nlmsg_len > rest.size()) {
            return {true, EBADMSG};
        }
        const Bytes payload = rest.subspan(sizeof header, header.nlmsg_len - sizeof header);
        rest = rest.subspan(std::min(rest.size(), padded(header.nlmsg_len)));
        if (header.nlmsg_seq != sequence) {
            continue; // late answer to an abandoned request
        }
        if (header.nlmsg_type == NLMSG_DONE || header.nlmsg_type == NLMSG_ERROR) {
            return {true, errorIn(payload, header.nlmsg_type == NLMSG_ERROR)};
        }
        take(payload);
    }
    return {};
}

std::optional<Device> deviceIn(Bytes attributes)
{
    Device device;
    std::optional<std::uint32_t> index;
    forEachAttribute(attributes, [&](int type, Bytes value) {
        if (type == RDMA_NLDEV_ATTR_DEV_INDEX) {
            index = numberIn<std::uint32_t>(value);
        } else if (type == RDMA_NLDEV_ATTR_DEV_NAME) {
            device.name = textIn(value);
        } else if (type == RDMA_NLDEV_ATTR_PORT_INDEX) { // for a device, the number of its last port
            device.ports = numberIn<std::uint32_t>(value).value_or(0);
        }
    });
    device.index = index.value_or(0);
    return index && !device.name.empty() ? std::optional(std::move(device)) : std::nullopt;
}

Counters countersIn(Bytes attributes)
{
    Counters counters;
    const auto addEntry = [&counters](int, Bytes entry) {
        std::string name;
        std::optional<std::uint64_t> count;
        forEachAttribute(entry, [&](int type, Bytes value) {
            if (type == RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME) {
                name = textIn(value);
            } else if (type == RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE) {
                count = numberIn<std::uint64_t>(value);
            }
        });
        if (!name.empty() && count) {
            counters.insert_or_assign(std::move(name), *count);
        }
    };
    forEachAttribute(attributes, [&](int type, Bytes value) {
        if (type == RDMA_NLDEV_ATTR_STAT_HWCOUNTERS) {
            forEachAttribute(value, addEntry);
        }
    });
    return counters;
}

std::vector<QueuePair> queuePairsIn(Bytes attributes)
{
    std::vector<QueuePair> pairs;
    forEachAttribute(attributes, [&](int type, Bytes value) {
        if (type == RDMA_NLDEV_ATTR_RES_QP) {
            forEachAttribute(value, [&](int, Bytes entry) { pairs.push_back(queuePairIn(entry)); });
        }
    });
    return pairs;
}

} // namespace ringside::host::netlink
