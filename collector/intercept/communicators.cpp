// SPDX-License-Identifier: Apache-2.0
#include "intercept/communicators.h"

#include "intercept/resolve.h"
#include "intercept/wrapper.h"

#include <unistd.h>

namespace ringside::collector {
namespace {

using Query = ncclResult_t(ncclComm_t, int*);

int ask(Real<Query>& real, ncclComm_t handle)
{
    auto* const query = real.get();
    int value = -1;
    return query != nullptr && query(handle, &value) == ncclSuccess ? value : -1;
}

CommunicatorIdentity describe(ncclComm_t handle)
{
    static constinit Real<Query> count(Library::Nccl, "ncclCommCount");
    static constinit Real<Query> userRank(Library::Nccl, "ncclCommUserRank");
    static constinit Real<Query> device(Library::Nccl, "ncclCommCuDevice");
    CommunicatorIdentity identity;
    identity.handle = reinterpret_cast<std::uint64_t>(handle);
    identity.size = ask(count, handle);
    identity.rank = ask(userRank, handle);
    identity.device = ask(device, handle);
    return identity;
}

void add(const CommunicatorIdentity& identity)
{
    constexpr int kMostDevices = 64;
    if (identity.device >= 0 && identity.device < kMostDevices) {
        registry().devicesSeen.fetch_or(std::uint64_t{1} << identity.device);
    }
    registry().addCommunicator(identity);
}

} // namespace

void noteCommunicator(const NewCommunicator& what)
{
    if (what.handle == nullptr || *what.handle == nullptr || what.ids == nullptr || what.idCount < 1) {
        return;
    }
    CommunicatorIdentity identity;
    identity.handle = reinterpret_cast<std::uint64_t>(*what.handle);
    identity.hash = hashBytes(what.ids, sizeof *what.ids * static_cast<std::size_t>(what.idCount));
    identity.size = what.size;
    identity.rank = what.rank;
    identity.device = currentDevice();
    add(identity);
}

void noteCommunicators(const NewCommunicators& what)
{
    // NCCL makes up the id itself; all ranks are here, so any hash that no other process makes will do.
    const std::uint64_t seed[] = {static_cast<std::uint64_t>(getpid()), ticks(),
                                  static_cast<std::uint64_t>(gethostid())};
    const std::uint64_t hash = hashBytes(seed, sizeof seed);
    for (int rank = 0; rank < what.size; ++rank) {
        CommunicatorIdentity identity;
        identity.handle = reinterpret_cast<std::uint64_t>(what.handles[rank]);
        identity.hash = hash;
        identity.size = what.size;
        identity.rank = rank;
        identity.device = what.devices != nullptr ? what.devices[rank] : rank;
        add(identity);
    }
}

std::uint64_t nextChild(ncclComm_t parent)
{
    Communicator* known = communicatorOf(parent);
    return known != nullptr ? known->children.fetch_add(1) : 0;
}

void noteChild(const ChildCommunicator& what, std::uint64_t child)
{
    const Communicator* parent = communicatorOf(what.parent);
    if (parent == nullptr || what.handle == nullptr || *what.handle == nullptr) {
        return; // not a member of any child, or (non-blocking) not there yet: then it is met at its first use
    }
    CommunicatorIdentity identity = describe(*what.handle);
    identity.parent = parent->id;
    if (parent->identity.hash != 0) {
        const std::size_t members =
            what.members != nullptr && what.memberCount > 0 ? static_cast<std::size_t>(what.memberCount) : 0;
        identity.hash = hashBytes(&child, sizeof child, parent->identity.hash);
        identity.hash = hashBytes(what.members, members * sizeof *what.members, identity.hash);
    }
    add(identity);
}

Communicator* communicatorOf(ncclComm_t handle)
{
    if (handle == nullptr) {
        return nullptr;
    }
    Communicator* known = registry().communicator(reinterpret_cast<std::uint64_t>(handle));
    return known != nullptr ? known : registry().addCommunicator(describe(handle));
}

} // namespace ringside::collector
