// SPDX-License-Identifier: Apache-2.0
// What NCCL wrote into a log, found among the lines of a job: "HOST:PID:TID [DEVICE] NCCL INFO TEXT", behind
// whatever a launcher or a time stamp puts before it. Processes write at once: one line may hold pieces of
// two.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ringside::importers::nccl_log {

struct Message {
    std::string_view host;
    std::int64_t pid = 0;
    std::int64_t tid = 0;
    std::int64_t device = -1; ///< CUDA ordinal; -1: not told
    bool warning = false;
    std::string_view text;
};

struct LineContents {
    std::vector<Message> messages;
    bool torn = false; ///< pieces of several lines stand in it, or NCCL's begin is not whole
};

/// Empty and not torn: not NCCL's.
[[nodiscard]] LineContents readLine(std::string_view line);

} // namespace ringside::importers::nccl_log
