// SPDX-License-Identifier: Apache-2.0
#include "intercept/communicators.h"

#include "calls/wrapper.h"
#include "profiler/plugin.h"
#include "record/message.h"
#include "resolve/resolve.h"

#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <mutex>
#include <optional>

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
    profiler::noteCommunicator(registry().addCommunicator(identity));
}

// The communicator's name in the program's configuration. NCCL has accepted the configuration; an older
// one is shorter and has no name.
StringId nameIn(const ncclConfig_t* config)
{
    const auto* known = reinterpret_cast<const abi::CommunicatorConfigPrefix*>(config);
    if (known == nullptr || known->magic != abi::CommunicatorConfigPrefix::kMagic ||
        known->size < sizeof *known || known->commName == nullptr) {
        return 0;
    }
    constexpr std::size_t kLongest = 256;
    return registry().intern({known->commName, strnlen(known->commName, kLongest)});
}

// A child that NCCL will create later, and the program's variable that will hold its handle.
struct AwaitedChild {
    const ncclComm_t* place = nullptr; ///< null: this entry is free
    std::uint32_t parent = 0;
    std::uint64_t hash = 0;
    StringId name = 0;
    std::uint64_t group = 0; ///< that makes it when it ends; 0: none
};
struct AwaitedChildren {
    std::mutex mutex;
    std::atomic<std::size_t> count = 0;
    std::array<AwaitedChild, 64> all;
};
constinit AwaitedChildren g_awaited;

void await(const AwaitedChild& child)
{
    const std::scoped_lock lock(g_awaited.mutex);
    for (AwaitedChild& entry : g_awaited.all) {
        if (entry.place == nullptr || entry.place == child.place) { // an older one in this place never came
            g_awaited.count += entry.place == nullptr ? 1 : 0;
            entry = child;
            return;
        }
    }
}

// The variable may be gone together with its stack frame. The kernel reads it, so that a bad address is
// an error, not a crash.
std::optional<ncclComm_t> handleAt(const ncclComm_t* place)
{
    constexpr std::size_t kBytes = sizeof(std::uintptr_t);
    ncclComm_t handle = nullptr;
    iovec to{&handle, kBytes};
    iovec from{const_cast<ncclComm_t*>(place), kBytes};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == kBytes ? std::optional(handle) : std::nullopt;
}

/// Returns false if NCCL does not know the communicator (yet).
bool addChild(ncclComm_t handle, const AwaitedChild& child)
{
    CommunicatorIdentity identity = describe(handle);
    identity.parent = child.parent;
    identity.hash = child.hash;
    identity.name = child.name;
    if (identity.size < 1) {
        return false;
    }
    add(identity);
    return true;
}

void addOrAwait(const AwaitedChild& child, bool exists)
{
    if (!exists || *child.place == nullptr || !addChild(*child.place, child)) {
        await(child);
    }
}

void forget(AwaitedChild& entry)
{
    entry = {};
    --g_awaited.count;
}

/// Registers the awaited child that has this handle, which the program uses. NCCL is asked about no other
/// value that a variable holds: a split can fail after its call has returned, the variable then holds
/// anything, and NCCL crashes on a handle that it does not know.
void noteAwaitedChild(ncclComm_t handle)
{
    if (g_awaited.count.load(std::memory_order_acquire) == 0) {
        return;
    }
    const ErrnoKeeper keeper;
    const std::scoped_lock lock(g_awaited.mutex);
    for (AwaitedChild& entry : g_awaited.all) {
        if (entry.place != nullptr && handleAt(entry.place) == handle && addChild(handle, entry)) {
            forget(entry);
            return;
        }
    }
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
    identity.name = nameIn(what.config);
    add(identity);
}

void noteCommunicators(const NewCommunicators& what)
{
    // NCCL makes the id itself. All ranks are in this process, so any hash that no other process
    // computes will do.
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

void noteChild(const ChildCommunicator& what, std::uint64_t child, const Promise& promise)
{
    const Communicator* parent = communicatorOf(what.parent);
    const bool hasMembers = what.members != nullptr && what.memberCount > 0;
    const bool joins = !hasMembers || *what.members >= 0; // NCCL_SPLIT_NOCOLOR: a member of no child
    if (parent == nullptr || what.handle == nullptr || !joins) {
        return;
    }
    AwaitedChild made{what.handle, parent->id, 0, nameIn(what.config), promise.group};
    if (parent->identity.hash != 0) {
        const std::size_t members = hasMembers ? static_cast<std::size_t>(what.memberCount) : 0;
        made.hash = hashBytes(&child, sizeof child, parent->identity.hash);
        made.hash = hashBytes(what.members, members * sizeof *what.members, made.hash);
    }
    addOrAwait(made, promise.kept);
}

void noteGrown(const GrownCommunicator& what, const Promise& promise)
{
    if (what.handle == nullptr) {
        return;
    }
    // Ranks that stay know the parent, ranks that join know an id, and no rank knows both. So no hash
    // could be the same on all ranks.
    const Communicator* parent = communicatorOf(what.parent);
    addOrAwait({what.handle, parent != nullptr ? parent->id : 0, 0, nameIn(what.config), promise.group},
               promise.kept);
}

void noteEndOfGroup(std::uint64_t group, ncclResult_t result)
{
    if (g_awaited.count.load(std::memory_order_acquire) == 0 || result == ncclInProgress) {
        return;
    }
    const ErrnoKeeper keeper;
    const std::scoped_lock lock(g_awaited.mutex);
    for (AwaitedChild& entry : g_awaited.all) {
        if (entry.place == nullptr || entry.group != group) {
            continue;
        }
        const std::optional<ncclComm_t> handle = result == ncclSuccess ? handleAt(entry.place) : std::nullopt;
        if (!handle || (*handle != nullptr && addChild(*handle, entry))) {
            forget(entry);
        }
    }
}

Communicator* communicatorOf(ncclComm_t handle)
{
    if (handle == nullptr) {
        return nullptr;
    }
    const auto key = reinterpret_cast<std::uint64_t>(handle);
    Communicator* known = registry().communicator(key);
    if (known == nullptr) {
        noteAwaitedChild(handle);
        known = registry().communicator(key);
    }
    return known != nullptr ? known : registry().addCommunicator(describe(handle));
}

} // namespace ringside::collector
