// SPDX-License-Identifier: Apache-2.0
// A dump that was written as JSON.
#pragma once
#include "import/bytes.h"
#include "import/flight_recorder/values.h"

namespace ringside::importers::flight_recorder {

/// What stands before damage is kept.
[[nodiscard]] Document readJson(Bytes& bytes);

} // namespace ringside::importers::flight_recorder
