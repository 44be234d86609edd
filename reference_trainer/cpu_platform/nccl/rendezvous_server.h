// SPDX-License-Identifier: Apache-2.0
// The small store through which the ranks of one communicator find each other. It lives on threads of the
// process that called ncclGetUniqueId, as NCCL's bootstrap root does, and ends when every rank has joined and
// hung up.
#pragma once
#include "unique_id.h"

namespace ringside::nccl {

/// Starts a server on the chosen interface and returns the id that leads to it.
[[nodiscard]] UniqueId startRendezvousServer();

/// Requests of the protocol, first byte of a message; see rendezvous_server.cpp for what follows.
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
