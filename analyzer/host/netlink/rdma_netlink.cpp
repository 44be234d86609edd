// SPDX-License-Identifier: Apache-2.0
#include "host/netlink/rdma_netlink.h"

#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace ringside::host {

struct RdmaNetlink::Question {
    int command = 0;
    bool all = false; ///< requests all objects of the kind, in any number of datagrams
    std::optional<std::uint32_t> device = std::nullopt;
    std::optional<std::uint32_t> port = std::nullopt;
};

namespace {

void append(std::vector<std::byte>& message, const void* bytes, std::size_t size)
{
    const auto* const from = static_cast<const std::byte*>(bytes);
    message.insert(message.end(), from, from + size);
}

void appendNumber(std::vector<std::byte>& message, std::uint16_t type, std::optional<std::uint32_t> number)
{
    if (number) {
        const nlattr header{sizeof(nlattr) + sizeof *number, type};
        append(message, &header, sizeof header);
        append(message, &*number, sizeof *number);
    }
}

} // namespace

void RdmaNetlink::open()
{
    constexpr std::size_t kRoom = std::size_t{128} << 10; // larger than the kernel's datagrams
    m_socket = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);
    if (m_socket < 0) {
        m_reason = std::string("RDMA netlink is refused: ") + std::strerror(errno);
        return;
    }
    const timeval patience{1, 0};
    if (setsockopt(m_socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) != 0) {
        m_reason = "RDMA netlink: the socket cannot be used";
        return;
    }
    m_buffer.resize(kRoom);
    m_reason.clear();
}

void RdmaNetlink::close()
{
    if (m_socket >= 0) {
        ::close(std::exchange(m_socket, -1));
    }
}

bool RdmaNetlink::ask(const Question& question, const std::function<void(netlink::Bytes)>& take)
{
    if (!m_reason.empty()) {
        return false;
    }
    nlmsghdr header{};
    header.nlmsg_type = static_cast<std::uint16_t>(RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, question.command));
    header.nlmsg_flags =
        static_cast<std::uint16_t>(NLM_F_REQUEST | NLM_F_ACK | (question.all ? NLM_F_DUMP : 0));
    header.nlmsg_seq = ++m_sequence;
    std::vector<std::byte> message;
    append(message, &header, sizeof header);
    appendNumber(message, RDMA_NLDEV_ATTR_DEV_INDEX, question.device);
    appendNumber(message, RDMA_NLDEV_ATTR_PORT_INDEX, question.port);
    header.nlmsg_len = static_cast<std::uint32_t>(message.size());
    std::memcpy(message.data(), &header, sizeof header);
    return send(m_socket, message.data(), message.size(), 0) == static_cast<ssize_t>(message.size()) &&
           receive(take);
}

bool RdmaNetlink::receive(const std::function<void(netlink::Bytes)>& take)
{
    constexpr int kMostDatagrams = 10'000;
    for (int seen = 0; seen < kMostDatagrams; ++seen) {
        sockaddr_nl from{};
        socklen_t length = sizeof from;
        const ssize_t got = recvfrom(m_socket, m_buffer.data(), m_buffer.size(), MSG_TRUNC,
                                     reinterpret_cast<sockaddr*>(&from), &length);
        if (got <= 0 || static_cast<std::size_t>(got) > m_buffer.size()) {
            return false;
        }
        if (from.nl_pid != 0) {
            continue; // not from the kernel
        }
        const netlink::Answer answer =
            netlink::readDatagram({m_buffer.data(), static_cast<std::size_t>(got)}, m_sequence, take);
        if (answer.finished) {
            return answer.error == 0;
        }
    }
    return false;
}

std::optional<std::vector<netlink::Device>> RdmaNetlink::devices()
{
    std::vector<netlink::Device> devices;
    const bool good = ask({RDMA_NLDEV_CMD_GET, true}, [&devices](netlink::Bytes attributes) {
        if (auto device = netlink::deviceIn(attributes)) {
            devices.push_back(std::move(*device));
        }
    });
    return good ? std::optional(std::move(devices)) : std::nullopt;
}

std::optional<netlink::Counters> RdmaNetlink::counters(std::uint32_t device, std::uint32_t port)
{
    netlink::Counters counters;
    const bool good =
        ask({RDMA_NLDEV_CMD_STAT_GET, false, device, port},
            [&counters](netlink::Bytes attributes) { counters.merge(netlink::countersIn(attributes)); });
    return good ? std::optional(std::move(counters)) : std::nullopt;
}

std::optional<std::vector<netlink::QueuePair>> RdmaNetlink::queuePairs(std::uint32_t device)
{
    std::vector<netlink::QueuePair> pairs;
    const bool good = ask({RDMA_NLDEV_CMD_RES_QP_GET, true, device}, [&pairs](netlink::Bytes attributes) {
        const auto more = netlink::queuePairsIn(attributes);
        pairs.insert(pairs.end(), more.begin(), more.end());
    });
    return good ? std::optional(std::move(pairs)) : std::nullopt;
}

} // namespace ringside::host
