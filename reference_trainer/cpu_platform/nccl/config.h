// SPDX-License-Identifier: Apache-2.0
// What a program may ask of a communicator (ncclConfig_t). The emulation heeds `blocking` and checks the
// rest.
#pragma once
#include <nccl.h>

#include <string>

namespace ringside::nccl {

/// The program's name for the communicator; empty where it gives none.
[[nodiscard]] std::string nameIn(const ncclConfig_t* config);
/// Whether calls on the communicator shall wait; `otherwise` where the configuration is null or leaves it
/// open. Failure(ncclInvalidArgument) for values that the real library refuses.
[[nodiscard]] bool wantsBlocking(const ncclConfig_t* config, bool otherwise);

} // namespace ringside::nccl
