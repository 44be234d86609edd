// SPDX-License-Identifier: Apache-2.0
// Builds a process's trace from scanned rows: gives times one origin, joins half ranges, adds threads,
// devices, collectives and tiers, and reports what was left out.
#pragma once
#include "import/kineto/document.h"
#include "import/kineto/rows.h"

#include <ringside/trace/reader.h>

namespace ringside::importers::kineto {

/// Builds the trace of one file.
[[nodiscard]] trace::ProcessTrace assemble(Rows&& rows, Document&& document);

} // namespace ringside::importers::kineto
