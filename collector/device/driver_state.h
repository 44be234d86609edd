// SPDX-License-Identifier: Apache-2.0
// Whether CUDA is still there at the end of the process. It ends in an exit handler of its own, and what
// CUPTI does after that nobody promises.
#pragma once

namespace ringside::collector {

/// By a question that the runtime, and the driver, answer also then.
[[nodiscard]] bool isDriverGone();

} // namespace ringside::collector
