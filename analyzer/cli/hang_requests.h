// SPDX-License-Identifier: Apache-2.0
// Collects stacks, beside a running command, when a watchdog of one of its processes requests them:
// HOST-PID.hang in the run directory becomes HOST-PID.stacks. That file also names what could not be
// collected; no failure stops the recording.
#pragma once
#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <map>
#include <vector>

namespace ringside::cli {

class HangRequests final {
public:
    /// `onHang` is called for each process that hangs, before its stacks are collected.
    HangRequests(std::filesystem::path runDirectory, std::function<void()> onHang)
        : m_directory(std::move(runDirectory)), m_onHang(std::move(onHang))
    {}
    ~HangRequests() = default; ///< the kernel releases threads that are still attached when this process ends
    HangRequests(const HangRequests&) = delete;
    HangRequests& operator=(const HangRequests&) = delete;

    /// Checks once for requests and answers new ones. Never throws.
    void answer();

private:
    void answerOne(const std::filesystem::path& request);

    std::filesystem::path m_directory;
    std::function<void()> m_onHang;
    std::map<pid_t, std::vector<pid_t>> m_stillAttached;
    bool m_adviceGiven = false;
};

} // namespace ringside::cli
