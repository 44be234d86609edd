// SPDX-License-Identifier: Apache-2.0
// From a dump to a process's trace: communicators, the calls in their order, what had not completed.
#pragma once
#include "import/flight_recorder/dump.h"

#include <ringside/trace/reader.h>

namespace ringside::importers::flight_recorder {

[[nodiscard]] trace::ProcessTrace assemble(const Dump& dump, const Values& values);

} // namespace ringside::importers::flight_recorder
