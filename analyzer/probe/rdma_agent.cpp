// SPDX-License-Identifier: Apache-2.0
#include "probe/rdma_agent.h"

#include "host/sysfs_text.h"
#include "probe/this_host.h"

#include <ringside/error.h>

#include <fmt/format.h>

namespace ringside::probe {

RdmaAgent::RdmaAgent()
    : m_choice(ncclWouldUse("/sys", {environmentValue("NCCL_IB_DISABLE"), environmentValue("NCCL_IB_HCA"),
                                     environmentValue("NCCL_IB_GID_INDEX")}))
{
    if (m_choice.port && writingLibrary() == nullptr) {
        m_choice = {std::nullopt,
                    "libibverbs.so.1 cannot be loaded, or lacks functions of its version IBVERBS_1.1"};
    }
}

Message RdmaAgent::describePort() const
{
    Message told{{"port", m_choice.port ? m_choice.port->name() : ""}, {"reason", m_choice.reason}};
    if (m_choice.port) {
        const auto rate =
            host::rateIn(host::readText(fmt::format("/sys/class/infiniband/{}/ports/{}/rate",
                                                    m_choice.port->device, m_choice.port->number))
                             .text);
        told["mbps"] = rate ? rate->mbps : 0;
    }
    return told;
}

std::optional<Message> RdmaAgent::execute(const Message& order, const Bounds& bounds)
{
    const std::string what = wordOf(order, "do");
    if (what == "rdma_open") {
        return open();
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

Message RdmaAgent::open()
{
    m_connection.reset();
    if (!m_choice.port) {
        return {{"pair", nullptr}, {"reason", m_choice.reason}};
    }
    try {
        m_connection = std::make_unique<RdmaConnection>(*m_choice.port);
        return toMessage(m_connection->address());
    } catch (const Error& error) {
        return {{"pair", nullptr}, {"reason", error.what()}};
    }
}

} // namespace ringside::probe
