// SPDX-License-Identifier: Apache-2.0
// Whether CUDA is still usable at the end of the process. CUDA shuts down in its own exit handler, and
// CUPTI's behaviour after that is not documented.
#pragma once

namespace ringside::collector {

/// Decided by a query that runtime and driver answer also after their shutdown.
[[nodiscard]] bool isDriverGone();

} // namespace ringside::collector
