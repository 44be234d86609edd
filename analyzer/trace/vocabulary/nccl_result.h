// SPDX-License-Identifier: Apache-2.0
// What the functions of NCCL return (ncclResult_t of nccl.h).
#pragma once
#include <cstdint>
#include <optional>

namespace ringside::trace {

inline constexpr std::int64_t kNcclInProgress = 7; ///< the call is accepted and goes on

/// Returns whether NCCL refused the call: nothing was enqueued. A result that is not known is no failure.
[[nodiscard]] constexpr bool isNcclFailure(std::optional<std::int64_t> result)
{
    return result.value_or(0) != 0 && result != kNcclInProgress;
}

} // namespace ringside::trace
