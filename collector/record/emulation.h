// SPDX-License-Identifier: Apache-2.0
// Whether this process runs on the emulated CUDA platform: what a trace of it tells of times is no GPU's.
#pragma once

namespace ringside::collector {

/// By what the loaded libraries export, under any name and also where the program opened them for itself
/// alone. Opens and closes none of them: a handle of ours could make us the one who unloads it.
[[nodiscard]] bool isPlatformEmulated();

} // namespace ringside::collector
