// SPDX-License-Identifier: Apache-2.0
// The clock that recordings are kept in, for commands that look at a job while it runs.
#pragma once
#include <cstdint>
#include <ctime>

namespace ringside::cli {

/// Nanoseconds of CLOCK_MONOTONIC.
[[nodiscard]] inline std::int64_t monotonicNs()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

} // namespace ringside::cli
