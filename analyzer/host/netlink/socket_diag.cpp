// SPDX-License-Identifier: Apache-2.0
#include "host/netlink/socket_diag.h"

#include "host/proc_text.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

namespace ringside::host {
namespace {

constexpr std::size_t kMostDescriptors = 65536;
constexpr std::size_t kMostPieces = 4096; // parts of an answer with some 60 connections each
constexpr std::size_t kPieceBytes = 32768;
constexpr std::uint32_t kEstablished = 1U << 1U; // TCP_ESTABLISHED, netinet/tcp.h

/// A socket in the process of the job. It is closed only if the descriptor still refers to it.
class OwnSocket final {
public:
    OwnSocket() : m_number(socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG))
    {
        struct stat status {};
        m_inode = m_number >= 0 && fstat(m_number, &status) == 0 ? status.st_ino : 0;
        const timeval patience{1, 0};
        static_cast<void>(setsockopt(m_number, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience));
    }
    ~OwnSocket()
    {
        struct stat status {};
        if (m_number >= 0 && fstat(m_number, &status) == 0 && status.st_ino == m_inode) {
            close(m_number);
        }
    }
    OwnSocket(const OwnSocket&) = delete;
    OwnSocket& operator=(const OwnSocket&) = delete;
    [[nodiscard]] int number() const { return m_number; }

private:
    int m_number;
    ino_t m_inode = 0;
};

struct Request {
    nlmsghdr head;
    inet_diag_req_v2 what;
};

bool ask(int netlink, std::uint8_t family)
{
    Request request{};
    request.head.nlmsg_len = sizeof request;
    request.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    request.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
    request.what.sdiag_family = family;
    request.what.sdiag_protocol = IPPROTO_TCP;
    request.what.idiag_ext = 1U << (INET_DIAG_INFO - 1U);
    request.what.idiag_states = kEstablished;
    return send(netlink, &request, sizeof request, 0) == static_cast<ssize_t>(sizeof request);
}

std::string addressText(std::uint8_t family, const std::uint32_t* words)
{
    constexpr std::array<std::uint32_t, 2> kNothing{};
    const bool carried = family == AF_INET6 && std::memcmp(words, kNothing.data(), sizeof kNothing) == 0 &&
                         words[2] == htonl(0xFFFF);
    std::array<char, INET6_ADDRSTRLEN> text{};
    inet_ntop(carried ? AF_INET : family, carried ? words + 3 : words, text.data(), text.size());
    return text.data();
}

void readInfo(const char* data, std::size_t bytes, Connection& connection)
{
    tcp_info info{}; // older kernels return fewer fields
    std::memcpy(&info, data, std::min(bytes, sizeof info));
    connection.sentBytes = info.tcpi_bytes_acked;
    connection.receivedBytes = info.tcpi_bytes_received;
    connection.busyUs = info.tcpi_busy_time;
    connection.receiverLimitedUs = info.tcpi_rwnd_limited;
    connection.senderLimitedUs = info.tcpi_sndbuf_limited;
    connection.segments = info.tcpi_data_segs_out;
    connection.retransmits = info.tcpi_total_retrans;
    if (bytes >= offsetof(tcp_info, tcpi_dsack_dups) + sizeof info.tcpi_dsack_dups) {
        connection.needlessRetransmits = info.tcpi_dsack_dups;
    }
    connection.deliveryBytesPerS = info.tcpi_delivery_rate;
    connection.roundTripUs = info.tcpi_rtt;
}

/// Returns whether the message contains all fields that are needed; busy times exist since Linux 4.10.
bool readConnection(const nlmsghdr& head, const char* body, Connection& connection)
{
    constexpr std::size_t kNeeded = offsetof(tcp_info, tcpi_sndbuf_limited) + sizeof(__u64);
    inet_diag_msg message{};
    std::memcpy(&message, body, sizeof message);
    connection.inode = message.idiag_inode;
    connection.local = addressText(message.idiag_family, message.id.idiag_src);
    connection.peer = addressText(message.idiag_family, message.id.idiag_dst);
    const std::size_t end = head.nlmsg_len - NLMSG_HDRLEN;
    for (std::size_t at = NLMSG_ALIGN(sizeof message); at + sizeof(nlattr) <= end;) {
        nlattr attribute{};
        std::memcpy(&attribute, body + at, sizeof attribute);
        if (attribute.nla_len < sizeof attribute || attribute.nla_len > end - at) {
            return false;
        }
        if (attribute.nla_type == INET_DIAG_INFO && attribute.nla_len >= sizeof attribute + kNeeded) {
            readInfo(body + at + sizeof attribute, attribute.nla_len - sizeof attribute, connection);
            return true;
        }
        at += NLA_ALIGN(attribute.nla_len);
    }
    return false;
}

std::uint64_t inodeOf(const char* body)
{
    inet_diag_msg message{};
    std::memcpy(&message, body, sizeof message);
    return message.idiag_inode;
}

/// Reads all parts of the answer about one address family.
bool takeAll(int netlink, const std::unordered_set<std::uint64_t>& wanted, std::vector<Connection>& taken)
{
    std::vector<char> piece(kPieceBytes);
    for (std::size_t pieces = 0; pieces < kMostPieces; ++pieces) {
        const ssize_t got = recv(netlink, piece.data(), piece.size(), 0);
        if (got <= 0) {
            return false;
        }
        const Answer answer = takeConnections({piece.data(), static_cast<std::size_t>(got)}, wanted, taken);
        if (answer != Answer::More) {
            return answer == Answer::End;
        }
    }
    errno = E2BIG;
    return false;
}

} // namespace

std::unordered_set<std::uint64_t> ownSockets()
{
    constexpr std::string_view kSocket = "socket:[";
    std::unordered_set<std::uint64_t> inodes;
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/fd"), &closedir);
    std::size_t seen = 0;
    for (const dirent* entry = nullptr;
         folder && seen < kMostDescriptors && (entry = readdir(folder.get())) != nullptr; ++seen) {
        std::array<char, 64> name{};
        const ssize_t length = readlinkat(dirfd(folder.get()), entry->d_name, name.data(), name.size());
        std::string_view text(name.data(), static_cast<std::size_t>(std::max<ssize_t>(0, length)));
        if (text.starts_with(kSocket) && text.ends_with(']')) {
            text.remove_prefix(kSocket.size());
            text.remove_suffix(1);
            if (const auto inode = numberIn(text)) {
                inodes.insert(*inode);
            }
        }
    }
    return inodes;
}

Answer takeConnections(std::span<const char> piece, const std::unordered_set<std::uint64_t>& wanted,
                       std::vector<Connection>& taken)
{
    while (piece.size() >= NLMSG_HDRLEN) {
        nlmsghdr head{};
        std::memcpy(&head, piece.data(), sizeof head);
        if (head.nlmsg_len < NLMSG_HDRLEN || head.nlmsg_len > piece.size()) {
            return Answer::Refused;
        }
        if (head.nlmsg_type == NLMSG_DONE || head.nlmsg_type == NLMSG_ERROR) {
            return head.nlmsg_type == NLMSG_DONE ? Answer::End : Answer::Refused;
        }
        const char* const body = piece.data() + NLMSG_HDRLEN;
        if (head.nlmsg_len >= NLMSG_HDRLEN + sizeof(inet_diag_msg) && wanted.contains(inodeOf(body))) {
            if (Connection connection; readConnection(head, body, connection)) {
                taken.push_back(std::move(connection));
            }
        }
        piece = piece.subspan(std::min<std::size_t>(NLMSG_ALIGN(head.nlmsg_len), piece.size()));
    }
    return Answer::More;
}

std::optional<std::vector<Connection>> ownConnections(std::string& reason)
{
    std::vector<Connection> taken;
    const std::unordered_set<std::uint64_t> wanted = ownSockets();
    if (wanted.empty()) {
        return taken;
    }
    const OwnSocket netlink;
    for (const std::uint8_t family : {std::uint8_t{AF_INET}, std::uint8_t{AF_INET6}}) {
        errno = 0;
        if (netlink.number() < 0 || !ask(netlink.number(), family) ||
            !takeAll(netlink.number(), wanted, taken)) {
            reason = std::string("the kernel does not report TCP connections (NETLINK_SOCK_DIAG): ") +
                     (errno != 0 ? std::strerror(errno) : "refused");
            return std::nullopt;
        }
    }
    return taken;
}

} // namespace ringside::host
