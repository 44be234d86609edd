// SPDX-License-Identifier: Apache-2.0
// Runs a function in a child process and returns its output, so that it can neither run too long nor crash
// this process. Signals meant for the recorded command do not reach it.
#pragma once
#include <chrono>
#include <functional>
#include <string>

namespace ringside::stacks {

struct BoundedResult {
    std::string output; ///< stdout and stderr, cut at 4 MiB
    std::string error;  ///< why the output is incomplete; empty: the child ended with exit code 0
};

/// Runs `work` in a child whose stdout and stderr are captured; its result is the child's exit code.
[[nodiscard]] BoundedResult runBounded(const std::function<int()>& work, std::chrono::milliseconds limit);

} // namespace ringside::stacks
