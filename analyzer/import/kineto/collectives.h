// SPDX-License-Identifier: Apache-2.0
// Derives collective calls and their communicators from communication kernels. The profiler describes a
// collective on its kernel, or on the operator that launched it, or (old versions) only by the annotation
// around the launch. What none of them contains stays unknown.
#pragma once
#include "import/kineto/document.h"
#include "import/kineto/rows.h"

#include <ringside/trace/reader.h>

namespace ringside::importers::kineto {

/// Fills the tables collective_call, collective_group, communicator and call_correlation. The columns,
/// strings and threads of the process must be complete. `rows.ranges` and `rows.collectives` must use the
/// same origin of times and the same string ids.
void addCollectives(trace::ProcessTrace& process, const Rows& rows, const Document& document);

} // namespace ringside::importers::kineto
