// SPDX-License-Identifier: Apache-2.0
// What looks at one side of a host: one file in gather/, found by its name. It reads, changes nothing, judges
// nothing, and leaves out what it cannot read.
#pragma once
#include "doctor/facts.h"

#include <span>

namespace ringside::doctor {

struct Gatherer {
    void (*gather)(const Root& root, Facts& facts) = nullptr;
};

[[nodiscard]] std::span<const Gatherer* const> allGatherers();

} // namespace ringside::doctor

/// Defines the gatherer of this file; the name must be the file's.
#define RINGSIDE_GATHERER(function)                                                                          \
    extern const ::ringside::doctor::Gatherer entry;                                                         \
    const ::ringside::doctor::Gatherer entry                                                                 \
    {                                                                                                        \
        .gather = (function)                                                                                 \
    }
