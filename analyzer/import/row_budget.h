// SPDX-License-Identifier: Apache-2.0
// Limits how much one imported text file may create.
#pragma once
#include <cstddef>

namespace ringside::importers {

/// The number of rows that one text file may still create. Rows beyond it are counted, but not kept.
struct RowBudget {
    std::size_t calls = 20'000'000;
    std::size_t communicators = 1'000'000;
};

} // namespace ringside::importers
