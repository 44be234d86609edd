// SPDX-License-Identifier: Apache-2.0
// The CUPTI tables of an export: kernels, copies and sets on the devices, and the CUDA calls of the host.
#pragma once
#include "import/nsys/recording.h"

namespace ringside::importers::nsys {

/// Table StringIds; everything else refers to it.
void readStrings(ExportFile& file, Recording& recording);

/// Kernels, copies, sets, and CUDA graphs that were recorded as one piece of work.
void readDeviceWork(ExportFile& file, Recording& recording);

/// CUDA calls, runtime and driver API; those that put work onto a device, which is known by now, are
/// launches.
void readApiCalls(ExportFile& file, Recording& recording);

} // namespace ringside::importers::nsys
