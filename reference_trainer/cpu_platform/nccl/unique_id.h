// SPDX-License-Identifier: Apache-2.0
// What stands in the 128 opaque bytes of a unique id: where the rendezvous server listens, and a secret.
#pragma once
#include "socket.h"

#include <nccl.h>

#include <array>
#include <cstdint>

namespace ringside::nccl {

using Secret = std::array<char, 16>;

struct UniqueId {
    Address server;
    Secret secret{}; ///< random: keeps a stranger's connection out, and ids distinct
};

[[nodiscard]] Secret makeSecret();
/// What NCCL calls a communicator's hash: the same on all its ranks, different for all ids.
[[nodiscard]] std::uint64_t hashOf(const UniqueId& id);
[[nodiscard]] ncclUniqueId encode(const UniqueId& id);
/// Failure(ncclInvalidArgument) for bytes that the emulated NCCL did not make.
[[nodiscard]] UniqueId decode(const ncclUniqueId& bytes);

} // namespace ringside::nccl
