// SPDX-License-Identifier: Apache-2.0
// The times of scanned rows: which are believed, from where they count, in which order they come.
#pragma once
#include "import/kineto/rows.h"

#include <cstdint>

namespace ringside::importers::kineto {

/// Makes ranges of phases B and E, as they nest on each thread. Returns how many had no other half.
std::int64_t joinHalves(Rows& rows);

/// Subtracts the first start of all from every time, and returns it. Rows that lie years from the others are
/// removed and counted as implausible.
std::int64_t useOwnOrigin(Rows& rows);

} // namespace ringside::importers::kineto
