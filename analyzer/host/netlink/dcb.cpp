// SPDX-License-Identifier: Apache-2.0
#include "host/netlink/dcb.h"

#include <linux/dcbnl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace ringside::host {
namespace {

using Bytes = std::span<const std::byte>;

/// Returns the header at the front, or null if there are too few bytes.
template <class Header>
std::optional<Header> front(Bytes bytes)
{
    Header header{};
    if (bytes.size() < sizeof header) {
        return std::nullopt;
    }
    std::memcpy(&header, bytes.data(), sizeof header);
    return header;
}

/// Returns the content of the attribute of this type, or null if there is none or a length is invalid.
std::optional<Bytes> attribute(Bytes bytes, std::uint16_t type)
{
    constexpr std::size_t kAlign = 4;
    while (const auto header = front<rtattr>(bytes)) {
        const std::size_t length = header->rta_len;
        if (length < sizeof(rtattr) || length > bytes.size()) {
            return std::nullopt;
        }
        if ((header->rta_type & ~NLA_F_NESTED) == type) {
            return bytes.subspan(sizeof(rtattr), length - sizeof(rtattr));
        }
        bytes = bytes.subspan(std::min(bytes.size(), (length + kAlign - 1) / kAlign * kAlign));
    }
    return std::nullopt;
}

struct PauseRequest {
    nlmsghdr header;
    dcbmsg message;
    rtattr attribute;
    std::array<char, IFNAMSIZ> name;
};

} // namespace

std::optional<std::uint8_t> parsePriorities(std::span<const std::byte> answer)
{
    const auto header = front<nlmsghdr>(answer);
    constexpr std::size_t kBefore = sizeof(nlmsghdr) + sizeof(dcbmsg);
    if (!header || header->nlmsg_type != RTM_GETDCB || header->nlmsg_len < kBefore ||
        header->nlmsg_len > answer.size()) {
        return std::nullopt;
    }
    const auto all = attribute(answer.subspan(kBefore, header->nlmsg_len - kBefore), DCB_ATTR_IEEE);
    const auto control = all ? attribute(*all, DCB_ATTR_IEEE_PFC) : std::nullopt;
    const auto priorities = control ? front<ieee_pfc>(*control) : std::nullopt;
    return priorities ? std::optional(priorities->pfc_en) : std::nullopt;
}

std::optional<std::uint8_t> pausedPriorities(const std::string& interface)
{
    const int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (descriptor < 0 || interface.size() >= IFNAMSIZ) {
        if (descriptor >= 0) {
            close(descriptor);
        }
        return std::nullopt;
    }
    const timeval patience{1, 0};
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    PauseRequest question{};
    question.header.nlmsg_len = sizeof question;
    question.header.nlmsg_type = RTM_GETDCB;
    question.header.nlmsg_flags = NLM_F_REQUEST;
    question.message.cmd = DCB_CMD_IEEE_GET;
    question.attribute.rta_len = sizeof question.attribute + sizeof question.name;
    question.attribute.rta_type = DCB_ATTR_IFNAME;
    std::ranges::copy(interface, question.name.begin());
    std::array<std::byte, 8192> answer{};
    const bool asked = send(descriptor, &question, sizeof question, 0) == sizeof question;
    const ssize_t got = asked ? recv(descriptor, answer.data(), answer.size(), 0) : -1;
    close(descriptor);
    return got > 0 ? parsePriorities(Bytes(answer).first(static_cast<std::size_t>(got))) : std::nullopt;
}

std::string prioritiesText(std::uint8_t priorities)
{
    constexpr int kPriorities = 8;
    std::string text;
    for (int priority = 0; priority < kPriorities; ++priority) {
        if ((priorities >> priority & 1) != 0) {
            text += (text.empty() ? "" : ",") + std::to_string(priority);
        }
    }
    return text.empty() ? "none" : text;
}

} // namespace ringside::host
