// SPDX-License-Identifier: Apache-2.0
// Where the RAS of a job's NCCL listens.
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace ringside::ras {

struct RasPlace {
    std::optional<std::string> address; ///< NCCL_RAS_ADDR; null: NCCL's default
    bool isOff = false;                 ///< NCCL_RAS_ENABLE=0
};

/// NCCL reads its variables in the processes of the job, and a launch script may have set them: looks into
/// the environments of `roots` and of what they started.
[[nodiscard]] RasPlace rasPlaceOf(const std::vector<pid_t>& roots);

} // namespace ringside::ras
