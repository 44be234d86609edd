// SPDX-License-Identifier: Apache-2.0
// Builds a process's trace from a dump: communicators, the calls in order, and which had not completed.
#pragma once
#include "import/flight_recorder/dump.h"

#include <ringside/trace/reader.h>

namespace ringside::importers::flight_recorder {

/// Builds the trace. `values` must contain the stack frames to which the dump refers.
[[nodiscard]] trace::ProcessTrace assemble(const Dump& dump, const Values& values);

} // namespace ringside::importers::flight_recorder
