// SPDX-License-Identifier: Apache-2.0
// The small key-value store for the rendezvous of one communicator's ranks. It runs on threads of the process
// that called ncclGetUniqueId, like NCCL's bootstrap root, and ends when every rank has joined and
// disconnected.
#pragma once
#include "unique_id.h"

namespace ringside::nccl {

/// Starts a server on the chosen interface and returns the id with its address.
[[nodiscard]] UniqueId startRendezvousServer();

/// Requests of the protocol, first byte of a message; rendezvous_server.cpp describes the rest.
enum class Request : char { Set = 'S', Get = 'G' };
/// First byte of an answer.
enum class Answer : char { Ok = '+', Refused = '-' };

/// First message of a client, raw.
struct Hello {
    Secret secret;
    std::int32_t rank;
    std::int32_t size;
};

} // namespace ringside::nccl
