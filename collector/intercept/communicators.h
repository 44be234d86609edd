// SPDX-License-Identifier: Apache-2.0
// Which communicator a call belongs to, under a name that is the same on all its ranks: our own hash of the
// unique id, and for children the hash of (parent, how many children it had, color or ranks left out).
#pragma once
#include "calls/what.h"
#include "record/registry.h"

namespace ringside::collector {

void noteCommunicator(const NewCommunicator& what);
void noteCommunicators(const NewCommunicators& what);
/// `child` is the parent's count of children before this one: taken before the real call, in the program's
/// order.
void noteChild(const ChildCommunicator& what, std::uint64_t child);
std::uint64_t nextChild(ncclComm_t parent);
/// A communicator that was enlarged: has no hash.
void noteGrown(const GrownCommunicator& what);
/// At the end of a group: adds its children, whose handles were not there when the calls that make them
/// returned. Those of non-blocking parents come later, and are found at their first use.
void noteAwaitedChildrenOfGroup();

/// Known, or made up from what NCCL says of it when it came from where we do not look (its hash is 0 then).
Communicator* communicatorOf(ncclComm_t handle);

} // namespace ringside::collector
