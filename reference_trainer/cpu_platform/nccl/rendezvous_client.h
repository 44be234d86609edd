// SPDX-License-Identifier: Apache-2.0
// A rank's side of the rendezvous, with Gloo's store interface. One deadline covers the whole rendezvous.
#pragma once
#include "socket.h"
#include "unique_id.h"

#include <gloo/rendezvous/store.h>

namespace ringside::nccl {

class RendezvousClient final : public gloo::rendezvous::Store {
public:
    /// Joins as `rank` of `size`. Throws Failure if the server is gone, refuses, or the time is over.
    RendezvousClient(const UniqueId& id, int rank, int size, std::chrono::milliseconds timeout);

    /// Returns the local address from which the server was reached.
    [[nodiscard]] Address localAddress() const { return m_socket.localAddress(); }

    void set(const std::string& key, const std::vector<char>& data) override;
    std::vector<char> get(const std::string& key) override;
    void wait(const std::vector<std::string>& keys) override;
    void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& timeout) override;

private:
    /// Sends a request and returns the value of its answer. Throws Failure(ncclRemoteError) if it is refused.
    std::string ask(const std::string& request);
    [[nodiscard]] std::chrono::milliseconds timeLeft() const;

    const std::chrono::milliseconds m_timeout;
    const std::chrono::steady_clock::time_point m_deadline;
    Socket m_socket;
};

} // namespace ringside::nccl
