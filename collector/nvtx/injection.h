// SPDX-License-Identifier: Apache-2.0
// Whether NVTX has loaded the collector.
#pragma once

namespace ringside::collector::nvtx {

/// Whether a library of the program has passed its tables.
bool isInstalled();

} // namespace ringside::collector::nvtx
