// SPDX-License-Identifier: Apache-2.0
// What a whole analysis has in common and its sentences depend on.
#pragma once
#include <cstdint>

namespace ringside::words {

/// What figures are given for: a step, or a second where no step was found in a recording.
enum class Period : std::uint8_t { Step, Second };

struct Voice {
    Period period = Period::Step;
    /// The trace is another tool's, so advice that names options of Ringside gets a remark.
    bool imported = false;
};

} // namespace ringside::words
