// SPDX-License-Identifier: Apache-2.0
// Whether this process runs on the emulated CUDA platform. Times in its trace are not those of a GPU.
#pragma once

namespace ringside::collector {

/// Decided by the exports of the loaded libraries, whatever their names, including those opened
/// RTLD_LOCAL. Opens and closes no library: closing the last handle would unload it.
[[nodiscard]] bool isPlatformEmulated();

} // namespace ringside::collector
