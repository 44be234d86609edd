// SPDX-License-Identifier: Apache-2.0
// Derives collective calls and their communicators from units of NCCL work (nccl_units.h).
#pragma once
#include "import/nsys/recording.h"

namespace ringside::importers::nsys {

/// Fills the tables collective_call, collective_group, communicator and call_correlation, and adds issues for
/// what is not known. The columns, strings and threads of the process must be complete. Its ranges and
/// `ranges` must contain the kernel's thread ids.
void addCollectives(trace::ProcessTrace& process, const std::vector<NcclRange>& ranges);

} // namespace ringside::importers::nsys
