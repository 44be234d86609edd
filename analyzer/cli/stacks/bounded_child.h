// SPDX-License-Identifier: Apache-2.0
// Runs a piece of work in a process of its own and takes what it prints: so that it can neither last too long
// nor crash us. Signals that are for the recorded command do not concern it.
#pragma once
#include <chrono>
#include <functional>
#include <string>

namespace ringside::cli {

struct BoundedResult {
    std::string output; ///< stdout and stderr, cut at 4 MiB
    std::string error;  ///< why it is not all there; empty: it ended with exit code 0
};

/// `work` runs in the child with stdout and stderr going to us, and returns the child's exit code.
[[nodiscard]] BoundedResult runBounded(const std::function<int()>& work, std::chrono::milliseconds limit);

} // namespace ringside::cli
