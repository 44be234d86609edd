// SPDX-License-Identifier: Apache-2.0
// Reads the NVTX ranges and marks of an export. NCCL's own ranges are kept separately with their payloads.
#pragma once
#include "import/nsys/recording.h"

namespace ringside::importers::nsys {

/// Reads table NVTX_EVENTS into the recording.
void readNvtx(ExportFile& file, Recording& recording);

/// Returns "aten::mm" for "aten::mm, seq = 5, op_id = 7". These numbers of PyTorch would make each name
/// unique.
[[nodiscard]] std::string_view withoutCounters(std::string_view name);

} // namespace ringside::importers::nsys
