// SPDX-License-Identifier: Apache-2.0
// NVTX of an export: ranges and marks of the program, and those of NCCL apart, with their payload.
#pragma once
#include "import/nsys/recording.h"

namespace ringside::importers::nsys {

void readNvtx(ExportFile& file, Recording& recording);

/// "aten::mm" of "aten::mm, seq = 5, op_id = 7": numbers with which PyTorch makes every name a new one.
[[nodiscard]] std::string_view withoutCounters(std::string_view name);

} // namespace ringside::importers::nsys
