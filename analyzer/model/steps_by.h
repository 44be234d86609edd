// SPDX-License-Identifier: Apache-2.0
// The user's definition of a step, which replaces the search: ranges of a name, a number of calls, or no
// steps at all.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace ringside::model {

struct StepsBy {
    std::string range;     ///< name of the NVTX ranges, without their number; empty if not given
    std::size_t calls = 0; ///< collectives, sends, receives and graph launches in a step; 0 if not given
    bool nothing = false;  ///< there are no steps
    [[nodiscard]] bool isGiven() const { return !range.empty() || calls > 0 || nothing; }
};

/// Parses "NAME", "period=N" or "none". Throws ringside::Error (Usage) if the text is empty or N is not a
/// positive number.
[[nodiscard]] StepsBy parseStepsBy(std::string_view text);

} // namespace ringside::model
