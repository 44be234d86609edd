// SPDX-License-Identifier: Apache-2.0
#include "host/process.h"
#include "host/sysfs_text.h"
#include "probe/campaign.h"
#include "probe/interface_choice.h"
#include "probe/rdma_agent.h"
#include "probe/tcp_message.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <array>
#include <cstdlib>

namespace ringside::probe {
namespace {

/// Limits the order on this side, too: any process with the token may lead.
Bounds boundsOf(const Message& order)
{
    constexpr std::uint64_t kMostBytes = 1U << 30U;
    constexpr std::int64_t kMostMs = 10'000;
    Bounds bounds;
    bounds.bytes = numberOf(order, "bytes", kMostBytes);
    bounds.milliseconds = numberOf(order, "milliseconds", kMostMs);
    return bounds;
}

Message measure(const Message& order)
{
    constexpr std::uint16_t kLastPort = 65535;
    const auto measured =
        runProbe({wordOf(order, "address"), numberOf(order, "port", kLastPort)}, boundsOf(order));
    if (!measured) {
        return {{"measured", nullptr}};
    }
    return {{"measured", toMessage(*measured)}};
}

/// Returns the rate of an interface in Mb/s; 0: the kernel does not tell it. Virtual ones say -1, older
/// kernels 4294967295.
std::uint64_t rateOf(const std::string& interface)
{
    constexpr std::uint64_t kMostMbps = 10'000'000;
    const auto mbps = host::numberIn(host::readText("/sys/class/net/" + interface + "/speed").text);
    return mbps && *mbps <= kMostMbps ? *mbps : 0;
}

bool serve(const LineConnection& leader, const std::string& address)
{
    const Descriptor listener = listenAt(address);
    const bool said = sendMessage(leader, {{"port", portOf(listener)}});
    const bool whole = serveProbe(listener);
    return said && sendMessage(leader, {{"served", whole}});
}

} // namespace

void follow(const Agent& agent)
{
    Descriptor connection = connectTo(agent.leader, kPatience);
    if (!connection) {
        throw Error(
            ErrorCode::Io,
            fmt::format("cannot reach the leader at {} port {}", agent.leader.address, agent.leader.port),
            "Give `ringside probe --leader` an address of its host that all hosts reach.");
    }
    const auto taken = ncclWouldUse(interfacesUp(), host::environmentValue("NCCL_SOCKET_IFNAME"),
                                    host::environmentValue("NCCL_SOCKET_FAMILY"));
    LineConnection leader(std::move(connection));
    RdmaAgent rdma;
    bool more = sendMessage(leader, {{"token", agent.token},
                                     {"host", host::hostName()},
                                     {"interface", taken ? taken->name : ""},
                                     {"address", taken ? taken->address : ""},
                                     {"mbps", taken ? rateOf(taken->name) : 0},
                                     {"rdma", rdma.describePorts()}});
    while (more) {
        const auto order = receiveMessage(leader);
        if (!order) {
            return;
        }
        if (const auto answer = rdma.execute(*order, boundsOf(*order))) {
            more = sendMessage(leader, *answer);
        } else {
            more = wordOf(*order, "do") == "serve" ? serve(leader, taken ? taken->address : "")
                                                   : sendMessage(leader, measure(*order));
        }
    }
}

} // namespace ringside::probe
