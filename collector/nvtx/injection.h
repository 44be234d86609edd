// SPDX-License-Identifier: Apache-2.0
// Whether NVTX has found us.
#pragma once

namespace ringside::collector::nvtx {

/// Some library of the program has given us its tables.
bool isInstalled();

} // namespace ringside::collector::nvtx
