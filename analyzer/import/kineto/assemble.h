// SPDX-License-Identifier: Apache-2.0
// From scanned rows to a process's trace: one origin of times, threads, pairs of half ranges, communicators,
// and what the reader of the report must know about where it all came from.
#pragma once
#include "import/kineto/document.h"
#include "import/kineto/rows.h"

#include <ringside/trace/reader.h>

namespace ringside::importers::kineto {

[[nodiscard]] trace::ProcessTrace assemble(Rows&& rows, Document&& document);

} // namespace ringside::importers::kineto
