// SPDX-License-Identifier: Apache-2.0
// Builds a process's trace from a snapshot of PyTorch's allocator.
#pragma once
#include "import/torch_memory/snapshot.h"

#include <ringside/trace/reader.h>

namespace ringside::importers::torch_memory {

/// `whole`: nothing of the file is missing. Else its events are not used, because the last ones are missing.
[[nodiscard]] trace::ProcessTrace assemble(Snapshot snapshot, const pickle::Values& values, bool whole);

} // namespace ringside::importers::torch_memory
