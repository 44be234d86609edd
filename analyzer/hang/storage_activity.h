// SPDX-License-Identifier: Apache-2.0
// What a rank's process does with its storage: the rank that the others wait for may write a checkpoint.
#pragma once
#include "hang/hang.h"

namespace ringside::hang {

/// By the samples of the last seconds before `untilNs`, on the process's clock. What lies before its last
/// collective returned does not count. Null: not sampled then, or it was not busy with storage for a few
/// seconds.
[[nodiscard]] std::optional<StorageActivity> storageActivityOf(const trace::ProcessTrace& process,
                                                               std::int64_t untilNs);

} // namespace ringside::hang
