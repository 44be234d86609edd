// SPDX-License-Identifier: Apache-2.0
#include "probe/rdma_agent.h"

#include "host/process.h"
#include "host/sysfs_text.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <algorithm>

namespace ringside::probe {

RdmaAgent::RdmaAgent()
    : m_choice(ncclWouldUse("/sys",
                            {host::environmentValue("NCCL_IB_DISABLE"), host::environmentValue("NCCL_IB_HCA"),
                             host::environmentValue("NCCL_IB_GID_INDEX"),
                             host::environmentValue("NCCL_IB_SL"), host::environmentValue("NCCL_IB_TC")}))
{
    if (!m_choice.ports.empty() && writingLibrary() == nullptr) {
        m_choice = {{}, "libibverbs.so.1 cannot be loaded, or lacks functions of its version IBVERBS_1.1"};
    }
}

Message RdmaAgent::describePorts() const
{
    Message rails = Message::array();
    for (const RdmaPort& port : m_choice.ports) {
        const auto rate = host::rateIn(
            host::readText(fmt::format("/sys/class/infiniband/{}/ports/{}/rate", port.device, port.number))
                .text);
        rails.push_back({{"port", port.name()}, {"mbps", rate ? rate->mbps : 0}});
    }
    Message told{{"port", ""}, {"reason", m_choice.reason}, {"rails", rails}};
    if (!rails.empty()) { // leaders of earlier versions know one port a host
        told["port"] = rails.front()["port"];
        told["mbps"] = rails.front()["mbps"];
    }
    return told;
}

std::optional<Message> RdmaAgent::execute(const Message& order, const Bounds& bounds)
{
    const std::string what = wordOf(order, "do");
    if (what == "rdma_open") {
        return open(wordOf(order, "port"));
    }
    if (what == "rdma_join") {
        return Message{{"joined", m_connection && m_connection->join(addressOf(order))}};
    }
    if (what == "rdma_write") {
        const bool joined = m_connection && m_connection->join(addressOf(order));
        return toMessage(joined ? m_connection->measure(bounds)
                                : RdmaResult{std::nullopt, "the device refused to connect to this peer"});
    }
    if (what == "rdma_serve") {
        return serve(order, bounds);
    }
    if (what == "rdma_perftest") {
        return toMessage(runPerftest(order, bounds));
    }
    if (what == "rdma_close") {
        m_connection.reset();
        m_server.reset();
        return Message{{"closed", true}};
    }
    return std::nullopt;
}

/// Leaders of earlier versions name no port, and mean the first.
const RdmaPort* RdmaAgent::portNamed(const std::string& name) const
{
    const auto port =
        name.empty() ? m_choice.ports.begin() : std::ranges::find(m_choice.ports, name, &RdmaPort::name);
    return port == m_choice.ports.end() ? nullptr : &*port;
}

std::string RdmaAgent::whyNot() const
{
    return m_choice.ports.empty() ? m_choice.reason : "NCCL would not use this port";
}

Message RdmaAgent::open(const std::string& name)
{
    m_connection.reset();
    const RdmaPort* const port = portNamed(name);
    if (port == nullptr) {
        return {{"pair", nullptr}, {"reason", whyNot()}};
    }
    try {
        m_connection = std::make_unique<RdmaConnection>(*port);
        return toMessage(m_connection->address());
    } catch (const Error& error) {
        return {{"pair", nullptr}, {"reason", error.what()}};
    }
}

Message RdmaAgent::serve(const Message& order, const Bounds& bounds)
{
    m_server.reset();
    const RdmaPort* const port = portNamed(wordOf(order, "port"));
    if (port == nullptr) {
        return {{"reason", whyNot()}};
    }
    try {
        m_server = std::make_unique<PerftestServer>(*port, wordOf(order, "address"), bounds);
        return {{"latency_port", m_server->latencyPort()}, {"bandwidth_port", m_server->bandwidthPort()}};
    } catch (const Error& error) {
        return {{"reason", error.what()}};
    }
}

RdmaResult RdmaAgent::runPerftest(const Message& order, const Bounds& bounds) const
{
    constexpr std::uint16_t kLastPort = 65535;
    const RdmaPort* const port = portNamed(wordOf(order, "port"));
    return port == nullptr ? RdmaResult{std::nullopt, whyNot()}
                           : measureWithPerftest(*port, wordOf(order, "address"),
                                                 numberOf(order, "latency_port", kLastPort),
                                                 numberOf(order, "bandwidth_port", kLastPort), bounds);
}

} // namespace ringside::probe
