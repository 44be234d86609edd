// SPDX-License-Identifier: Apache-2.0
// Joins half ranges, gives the times of scanned rows a common origin, and removes implausible ones.
#pragma once
#include "import/kineto/rows.h"

#include <cstdint>

namespace ringside::importers::kineto {

/// Joins events of phases B and E to ranges, as they nest on each thread. Returns the number of events
/// without their other half.
std::int64_t joinHalves(Rows& rows);

/// Subtracts the earliest start from all times, and returns it. Rows that are years apart from the others are
/// removed and counted as implausible.
std::int64_t useOwnOrigin(Rows& rows);

} // namespace ringside::importers::kineto
