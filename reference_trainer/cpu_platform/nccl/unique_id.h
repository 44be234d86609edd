// SPDX-License-Identifier: Apache-2.0
// Content of the 128 opaque bytes of a unique id: the address of the rendezvous server, and a secret.
#pragma once
#include "socket.h"

#include <nccl.h>

#include <array>
#include <cstdint>

namespace ringside::nccl {

using Secret = std::array<char, 16>;

struct UniqueId {
    Address server;
    Secret secret{}; ///< random: rejects unknown clients and makes ids distinct
};

[[nodiscard]] Secret makeSecret();
/// Returns NCCL's hash of a communicator: equal on all its ranks, different for all ids.
[[nodiscard]] std::uint64_t hashOf(const UniqueId& id);
[[nodiscard]] ncclUniqueId encode(const UniqueId& id);
/// Throws Failure(ncclInvalidArgument) for bytes that the emulated NCCL did not create.
[[nodiscard]] UniqueId decode(const ncclUniqueId& bytes);

} // namespace ringside::nccl
