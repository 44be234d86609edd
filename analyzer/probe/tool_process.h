// SPDX-License-Identifier: Apache-2.0
// A measuring program that an agent starts, such as those of perftest. It outlives neither the agent's object
// nor, if that is killed, its process.
#pragma once
#include "probe/socket.h"

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace ringside::probe {

class ToolProcess final {
public:
    using Clock = std::chrono::steady_clock;

    /// Starts a program that PATH has; `words` are its name and arguments. Throws ringside::Error (Io) if it
    /// cannot be started.
    explicit ToolProcess(const std::vector<std::string>& words);
    ToolProcess(const ToolProcess&) = delete;
    ToolProcess& operator=(const ToolProcess&) = delete;
    /// Ends it by SIGKILL if it still runs.
    ~ToolProcess();

    /// Reads what it prints until it ends. Returns false at `last`, if it has not ended by then.
    [[nodiscard]] bool endsBefore(Clock::time_point last);
    /// What it printed until now, on both streams, at most 64 KiB of it.
    [[nodiscard]] const std::string& output() const { return m_output; }
    /// Returns 128 plus the signal if one ended it, as a shell does. Null while it runs.
    [[nodiscard]] std::optional<int> exitCode() const { return m_exitCode; }

private:
    [[nodiscard]] bool readMore();

    pid_t m_pid = -1;
    Descriptor m_pipe;
    std::string m_output;
    std::optional<int> m_exitCode;
};

} // namespace ringside::probe
