// SPDX-License-Identifier: Apache-2.0
// Queries about RDMA devices by netlink. It only reads, and waits at most a second for an answer. It needs no
// privileges; kernels without it and some sandboxes refuse the socket.
#pragma once
#include "host/netlink/rdma_messages.h"

#include <optional>
#include <string>
#include <vector>

namespace ringside::host {

class RdmaNetlink final {
public:
    RdmaNetlink() = default;
    ~RdmaNetlink() { close(); }
    RdmaNetlink(const RdmaNetlink&) = delete;
    RdmaNetlink& operator=(const RdmaNetlink&) = delete;

    /// Must be called once. If it fails, reason() returns why.
    void open();
    void close();
    /// Why no queries are possible; empty if they are.
    [[nodiscard]] const std::string& reason() const { return m_reason; }

    // Null if the query failed.
    [[nodiscard]] std::optional<std::vector<netlink::Device>> devices();
    /// Returns all hardware counters of a port with one message.
    [[nodiscard]] std::optional<netlink::Counters> counters(std::uint32_t device, std::uint32_t port);
    /// Returns the queue pairs that this process may see: those of its own PID namespace.
    [[nodiscard]] std::optional<std::vector<netlink::QueuePair>> queuePairs(std::uint32_t device);

private:
    struct Question;
    [[nodiscard]] bool ask(const Question& question, const std::function<void(netlink::Bytes)>& take);
    [[nodiscard]] bool receive(const std::function<void(netlink::Bytes)>& take);

    int m_socket = -1;
    std::uint32_t m_sequence = 0;
    std::vector<std::byte> m_buffer;
    std::string m_reason = "it was not opened";
};

} // namespace ringside::host
