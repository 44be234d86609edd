// SPDX-License-Identifier: Apache-2.0
// A gatherer reads one part of a host: one file in gather/, registered under its file name. It changes
// nothing, judges nothing, and omits what it cannot read.
#pragma once
#include "doctor/facts.h"

#include <span>

namespace ringside::doctor {

struct Gatherer {
    void (*gather)(const Root& root, Facts& facts) = nullptr;
};

[[nodiscard]] std::span<const Gatherer* const> allGatherers();

} // namespace ringside::doctor

/// Defines the gatherer of this file. `function` must be the name of the file.
#define RINGSIDE_GATHERER(function)                                                                          \
    extern const ::ringside::doctor::Gatherer entry;                                                         \
    const ::ringside::doctor::Gatherer entry                                                                 \
    {                                                                                                        \
        .gather = (function)                                                                                 \
    }
