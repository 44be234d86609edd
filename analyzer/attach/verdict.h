// SPDX-License-Identifier: Apache-2.0
// What the stacks of a job's processes say, as the verdict that `ringside hang` gives of recorded runs.
#pragma once
#include "attach/stuck.h"

namespace ringside::attach {

/// A row for each process. Without a launcher's variable, its rank is not known (-1). Stacks show where a
/// process is, not for whom it waits: the confidence is low, or medium where NCCL's RAS names the same ranks,
/// and no call of a communicator is named.
[[nodiscard]] hang::Report verdictOf(const StuckReport& report);

} // namespace ringside::attach
