// SPDX-License-Identifier: Apache-2.0
// Limits how much one imported text file may create.
#pragma once
#include <cstddef>

namespace ringside::importers {

/// The most rows that one text file may create. Rows beyond these limits are counted, but not kept.
struct Room {
    std::size_t calls = 20'000'000;
    std::size_t communicators = 1'000'000;
};

} // namespace ringside::importers
