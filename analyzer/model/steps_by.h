// SPDX-License-Identifier: Apache-2.0
// What a step is, where somebody knows better than the search: the ranges of a name, so many calls, or
// nothing.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace ringside::model {

struct StepsBy {
    std::string range;     ///< name of the NVTX ranges, without their number; empty: no range was named
    std::size_t calls = 0; ///< collectives and launches of graphs in a step; 0: nobody said
    bool nothing = false;  ///< there are no steps
    [[nodiscard]] bool isTold() const { return !range.empty() || calls > 0 || nothing; }
};

/// "NAME", "period=N" or "none"; throws ringside::Error (Usage).
[[nodiscard]] StepsBy parseStepsBy(std::string_view text);

} // namespace ringside::model
