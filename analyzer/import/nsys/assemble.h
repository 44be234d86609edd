// SPDX-License-Identifier: Apache-2.0
// From what was read of an export to the traces of its processes, with what a reader must know about them.
#pragma once
#include "import/nsys/devices.h"
#include "import/nsys/recording.h"

#include <ringside/trace/reader.h>

#include <vector>

namespace ringside::importers::nsys {

/// One trace for each process with work on a device or calls of NCCL; each is a rank, or several with a
/// device each. What concerns the whole file is an issue of the first one. Empty where there is none.
[[nodiscard]] std::vector<trace::ProcessTrace> assemble(Recording&& recording, const Devices& devices);

} // namespace ringside::importers::nsys
