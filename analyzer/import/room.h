// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

namespace ringside::importers {

/// What one file of text may make at most; what is beyond is counted, not kept.
struct Room {
    std::size_t calls = 20'000'000;
    std::size_t communicators = 1'000'000;
};

} // namespace ringside::importers
