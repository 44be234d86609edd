// SPDX-License-Identifier: Apache-2.0
// Reads the CUPTI tables of an export: kernels, copies and sets on devices, and CUDA calls of the host.
#pragma once
#include "import/nsys/recording.h"

namespace ringside::importers::nsys {

/// Reads table StringIds, to which the other tables refer. Must be called first.
void readStrings(ExportFile& file, Recording& recording);

/// Reads kernels, copies, sets, and CUDA graphs that were recorded as one row.
void readDeviceWork(ExportFile& file, Recording& recording);

/// Reads calls of the CUDA runtime and driver API. Calls with device work are also added as launches, so
/// readDeviceWork must be called before.
void readApiCalls(ExportFile& file, Recording& recording);

} // namespace ringside::importers::nsys
