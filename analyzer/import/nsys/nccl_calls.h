// SPDX-License-Identifier: Apache-2.0
// From units of NCCL's work to collective calls and their communicators.
#pragma once
#include "import/nsys/recording.h"

namespace ringside::importers::nsys {

/// Fills the tables collective_call, collective_group, communicator and call_correlation, and says in issues
/// what is not known. The process's columns, strings and threads are complete; its ranges, and `ranges`, hold
/// the kernel's thread ids.
void addCollectives(trace::ProcessTrace& process, const std::vector<NcclRange>& ranges);

} // namespace ringside::importers::nsys
