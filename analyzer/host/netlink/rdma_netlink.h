// SPDX-License-Identifier: Apache-2.0
// Questions to the kernel about RDMA devices, by netlink. It only asks, and an answer is waited for at most a
// second. Needs no rights; kernels without it, and some sandboxes, refuse the socket.
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

    /// Once. Where it fails, reason() says why.
    void open();
    void close();
    /// Why nothing can be asked; empty: it can.
    [[nodiscard]] const std::string& reason() const { return m_reason; }

    // Nothing: the question failed.
    [[nodiscard]] std::optional<std::vector<netlink::Device>> devices();
    /// All hardware counters of a port, in one message.
    [[nodiscard]] std::optional<netlink::Counters> counters(std::uint32_t device, std::uint32_t port);
    /// Those that this process may see: of its own PID namespace.
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
