// SPDX-License-Identifier: Apache-2.0
// Reads a dump that was written as JSON.
#pragma once
#include "import/bytes.h"
#include "import/pickle/values.h"

namespace ringside::importers::flight_recorder {

/// Reads the values of a file. Values before damage are kept.
[[nodiscard]] pickle::Document readJson(Bytes& bytes);

} // namespace ringside::importers::flight_recorder
