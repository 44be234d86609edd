// SPDX-License-Identifier: Apache-2.0
#include "probe/rdma_agent.h"

#include "host/sysfs_text.h"
#include "probe/this_host.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <algorithm>

namespace ringside::probe {

RdmaAgent::RdmaAgent()
    : m_choice(ncclWouldUse("/sys", {environmentValue("NCCL_IB_DISABLE"), environmentValue("NCCL_IB_HCA"),
                                     environmentValue("NCCL_IB_GID_INDEX"), environmentValue("NCCL_IB_SL"),
                                     environmentValue("NCCL_IB_TC")}))
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
    if (what == "rdma_close") {
        m_connection.reset();
        return Message{{"closed", true}};
    }
    return std::nullopt;
}

/// `name`: of the port; leaders of earlier versions name none, and mean the first.
Message RdmaAgent::open(const std::string& name)
{
    m_connection.reset();
    const auto port =
        name.empty() ? m_choice.ports.begin() : std::ranges::find(m_choice.ports, name, &RdmaPort::name);
    if (port == m_choice.ports.end()) {
        const bool none = m_choice.ports.empty();
        return {{"pair", nullptr}, {"reason", none ? m_choice.reason : "NCCL would not use this port"}};
    }
    try {
        m_connection = std::make_unique<RdmaConnection>(*port);
        return toMessage(m_connection->address());
    } catch (const Error& error) {
        return {{"pair", nullptr}, {"reason", error.what()}};
    }
}

} // namespace ringside::probe
