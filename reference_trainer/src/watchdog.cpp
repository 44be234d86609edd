// SPDX-License-Identifier: Apache-2.0
#include "watchdog.h"

#include <fmt/format.h>
#include <unistd.h>

namespace ringside::trainer {
namespace {

constexpr auto kInterval = std::chrono::milliseconds(100);

} // namespace

Watchdog::Watchdog(ControlChannel& channel, unsigned rank, std::chrono::seconds timeout)
    : m_channel(channel), m_rank(rank), m_timeout(timeout), m_thread([this] { run(); })
{}

Watchdog::~Watchdog()
{
    m_stop = true;
    m_thread.join();
}

void Watchdog::progress(const char* what, std::uint64_t step)
{
    m_what = what;
    m_step = step;
    m_moved = std::chrono::steady_clock::now();
}

std::string Watchdog::trouble()
{
    if (const auto reason = m_channel.awaitFailure(kInterval))
        return *reason;
    ncclResult_t error = ncclSuccess;
    if (ncclComm_t communicator = m_communicator; communicator != nullptr)
        ncclCommGetAsyncError(communicator, &error);
    if (error != ncclSuccess && error != ncclInProgress)
        return fmt::format("NCCL reports: {}; {}", ncclGetErrorString(error), ncclGetLastError(nullptr));
    if (std::chrono::steady_clock::now() - m_moved.load() > m_timeout)
        return fmt::format(
            "no progress for {} s in {} (step {}): check for a stopped rank or a network failure; "
            "--timeout changes this limit",
            m_timeout.count(), m_what.load(), m_step.load());
    return {};
}

void Watchdog::run()
{
    while (!m_stop) {
        const std::string reason = trouble();
        if (reason.empty() || m_stop)
            continue;
        m_channel.announceFailure(reason);
        fmt::print(stderr, "ddp_trainer: rank {}: giving up: {}\n", m_rank, reason);
        _exit(1);
    }
}

} // namespace ringside::trainer
