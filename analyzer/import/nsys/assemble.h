// SPDX-License-Identifier: Apache-2.0
// Builds the traces of an export's processes from the rows that were read, and reports what is missing.
#pragma once
#include "import/nsys/devices.h"
#include "import/nsys/recording.h"

#include <ringside/trace/reader.h>

#include <vector>

namespace ringside::importers::nsys {

/// Returns a trace for each process with device work or NCCL calls. A process is one rank, or several with
/// one device each. Issues of the whole file are added to the first trace. Empty if there is no such process.
[[nodiscard]] std::vector<trace::ProcessTrace> assemble(Recording&& recording, const Devices& devices);

} // namespace ringside::importers::nsys
