// SPDX-License-Identifier: Apache-2.0
// Ends this process with a message if the job cannot continue: another rank failed or disconnected, NCCL
// reports an asynchronous error, or there was no progress for the timeout. A GPU call that waits for a dead
// peer never returns, so that the process must be ended.
#pragma once
#include "control_channel.h"

#include <nccl.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace ringside::trainer {

class Watchdog final {
public:
    Watchdog(ControlChannel& channel, unsigned rank, std::chrono::seconds timeout);
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    /// From now on, errors of this communicator are watched, until null is set.
    void watch(ncclComm_t communicator) { m_communicator = communicator; }
    /// Reports progress; `what` (a string literal) names the next phase.
    void progress(const char* what, std::uint64_t step = 0);

private:
    void run();
    [[nodiscard]] std::string trouble();

    ControlChannel& m_channel;
    unsigned m_rank;
    std::chrono::seconds m_timeout;
    std::atomic<ncclComm_t> m_communicator = nullptr;
    std::atomic<const char*> m_what = "start";
    std::atomic<std::uint64_t> m_step = 0;
    std::atomic<std::chrono::steady_clock::time_point> m_moved = std::chrono::steady_clock::now();
    std::atomic<bool> m_stop = false;
    std::thread m_thread;
};

} // namespace ringside::trainer
