// SPDX-License-Identifier: Apache-2.0
// Identifies the launch that this command belongs to by the environment variables of launchers. Ranks of one
// launch record into one run directory, on all its hosts and at any time.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace ringside::cli {

inline constexpr const char* kLaunchVariable = "RINGSIDE_LAUNCH";

struct Launch {
    /// NAME=VALUE: values that are equal in all processes of a launch and differ in every other launch.
    std::vector<std::string> ids;
    /// NAME=VALUE; empty: unknown.
    std::string rank;
    /// Other values that the ranks of a launch share, but that other launches may share, too.
    std::string world;
    /// Number of restarts of the same rank, if the launcher counts them.
    std::int64_t attempt = 0;
    /// Whether the launcher restarts ranks under the same ids, also without counting.
    bool restarts = false;
};

[[nodiscard]] Launch launchOfEnvironment();

/// Returns a part for a file name: from the id, else from the launcher's process.
[[nodiscard]] std::string nameOf(const Launch& launch);

} // namespace ringside::cli
