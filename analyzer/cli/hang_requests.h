// SPDX-License-Identifier: Apache-2.0
// Answers, beside a running command, what its processes' watchdogs ask for: HOST-PID.hang in the run
// directory becomes HOST-PID.stacks. What cannot be had is said in there; nothing of it stops the recording.
#pragma once
#include <sys/types.h>

#include <filesystem>
#include <map>
#include <vector>

namespace ringside::cli {

class HangRequests final {
public:
    explicit HangRequests(std::filesystem::path runDirectory) : m_directory(std::move(runDirectory)) {}
    ~HangRequests() = default; ///< threads that are still held are let go by the kernel with this process
    HangRequests(const HangRequests&) = delete;
    HangRequests& operator=(const HangRequests&) = delete;

    /// Looks once, and answers what is new. Never throws.
    void answer();

private:
    void answerOne(const std::filesystem::path& request);

    std::filesystem::path m_directory;
    std::map<pid_t, std::vector<pid_t>> m_stillHeld;
    bool m_adviceGiven = false;
};

} // namespace ringside::cli
