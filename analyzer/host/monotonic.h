// SPDX-License-Identifier: Apache-2.0
// The clock of recordings, for commands that read a job while it runs.
#pragma once
#include <cstdint>
#include <ctime>

namespace ringside::host {

/// Returns CLOCK_MONOTONIC in nanoseconds.
[[nodiscard]] inline std::int64_t monotonicNs()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

} // namespace ringside::host
