// SPDX-License-Identifier: Apache-2.0
// The part of a dump that a verdict needs. Dumps of thousands of ranks with thousands of calls each do not
// fit into memory otherwise.
#pragma once
#include <ringside/trace/reader.h>

namespace ringside::hang {

/// Drops the calls of a dump of PyTorch's flight recorder that lie before the last collective that completed
/// and that needs all ranks, of each communicator without messages: no rank can wait in them any more, and
/// all ranks made them. The last few calls of the process stay, because the verdict shows them.
void keepOpenEnd(trace::ProcessTrace& process);

} // namespace ringside::hang
