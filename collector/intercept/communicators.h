// SPDX-License-Identifier: Apache-2.0
// Registers the communicators that the program creates. Each gets a hash that is the same on all its
// ranks: of its unique id; for a child, of the parent's hash, the number of children before it, and its
// color or the ranks left out.
#pragma once
#include "calls/what.h"
#include "record/registry.h"

namespace ringside::collector {

/// When a communicator that NCCL promised exists.
struct Promise {
    bool kept = false;       ///< its handle is stored
    std::uint64_t group = 0; ///< at whose end it will be; 0: later, by NCCL's own thread
};

void noteCommunicator(const NewCommunicator& what);
void noteCommunicators(const NewCommunicators& what);
/// `child` is the number of children that the parent had before this one. Take it before the real call,
/// so that it follows the program's order.
/// `promise`: whether NCCL has stored the child's handle.
void noteChild(const ChildCommunicator& what, std::uint64_t child, const Promise& promise);
std::uint64_t nextChild(ncclComm_t parent);
/// Registers a communicator made by ncclCommGrow. It has no hash: old and new ranks are given nothing in
/// common.
void noteGrown(const GrownCommunicator& what, const Promise& promise);
/// Registers the children that a group created, or forgets them where it failed. Call it at the end of the
/// group: their handles are not set when the calls that create them return. Children of non-blocking parents
/// are registered at their first use.
void noteEndOfGroup(std::uint64_t group, ncclResult_t result);

/// Returns the registered communicator. If its creation was not intercepted, registers one from what
/// NCCL reports (hash 0).
Communicator* communicatorOf(ncclComm_t handle);

} // namespace ringside::collector
