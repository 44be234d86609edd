// SPDX-License-Identifier: Apache-2.0
// From communication kernels to collective calls and their communicators. The profiler describes a collective
// on its kernel, or on the operator that launched it, or (old versions) only by the annotation around the
// launch; what none of them says stays unknown.
#pragma once
#include "import/kineto/document.h"
#include "import/kineto/rows.h"

#include <ringside/trace/reader.h>

namespace ringside::importers::kineto {

/// Fills the tables collective_call, collective_group, communicator and call_correlation. The process's
/// columns and strings are complete, its kernels in the file's order; `rows.ranges` and `rows.collectives`
/// have the same times and string ids.
void addCollectives(trace::ProcessTrace& process, const Rows& rows, const Document& document);

} // namespace ringside::importers::kineto
