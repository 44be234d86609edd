// SPDX-License-Identifier: Apache-2.0
// Settings of a communicator (ncclConfig_t). The emulation obeys `blocking` and checks the others.
#pragma once
#include <nccl.h>

#include <string>

namespace ringside::nccl {

/// Returns the program's name for the communicator; empty if it has none.
[[nodiscard]] std::string nameIn(const ncclConfig_t* config);
/// Returns whether calls on the communicator block; `otherwise` if the configuration is null or does not set
/// it. Throws Failure(ncclInvalidArgument) for values that the real library rejects.
[[nodiscard]] bool wantsBlocking(const ncclConfig_t* config, bool otherwise);

} // namespace ringside::nccl
