// SPDX-License-Identifier: Apache-2.0
// Finds NCCL's messages in the output of a job: "HOST:PID:TID [DEVICE] NCCL INFO TEXT", possibly after the
// prefix of a launcher or a time stamp. Several processes write at the same time, so a line may contain parts
// of two messages.
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
    std::int64_t device = -1; ///< CUDA ordinal; -1 if not known
    bool warning = false;
    std::string_view text;
};

struct LineContents {
    std::vector<Message> messages;
    std::string_view
        before;        ///< what stands before the first message: a launcher's prefix, or the rest of another
    bool torn = false; ///< whether it contains parts of several messages, or an incomplete prefix of NCCL
};

/// Finds the messages in a line. If the result has no messages and is not torn, the line is not NCCL's.
[[nodiscard]] LineContents readLine(std::string_view line);

} // namespace ringside::importers::nccl_log
