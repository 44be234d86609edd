// SPDX-License-Identifier: Apache-2.0
// The buffers that CUPTI fills, for the collector and, while it has CUPTI, for another client.
#pragma once
#include "abi/cupti.h"
#include "device/buffer_pool.h"

namespace ringside::collector {

/// Never freed, because CUPTI may call late.
BufferPool& cuptiBuffers();

/// Sets CUPTI's function that walks through records. Records of buffers that are discarded before are not
/// counted.
void countRecordsWith(cupti::NextRecord next);

} // namespace ringside::collector
