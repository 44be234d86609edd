// SPDX-License-Identifier: Apache-2.0
// Everything that records refer to by id: strings, streams, communicators, threads, and the clock.
// Lookups take no lock. A new entry is written into the definitions ring, under a mutex, before its id
// is returned.
#pragma once
#include "record/clock.h"
#include "record/graphs.h"
#include "record/handle_table.h"
#include "record/ring.h"
#include "record/thread_ids.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

namespace ringside::collector {

using StringId = std::uint32_t;

/// A series of samples. Texts are cut to the size of a record's fields (ring.h).
struct SeriesDefinition {
    const char* source;
    std::string_view entity;
    const char* metric;
    trace::SeriesKind kind;
    StringId reason;
};

/// The reason of a new level. It ends with a zero byte, or fills the field.
using WindowReason = std::array<char, sizeof trace::WindowRecord::why>;

struct CommunicatorIdentity {
    std::uint64_t handle = 0; ///< 0: not known
    std::uint64_t hash = 0;   ///< the same on all its ranks; 0: not known
    std::uint32_t parent = 0;
    std::int32_t size = 0;
    std::int32_t rank = -1;
    std::int32_t device = -1;
    StringId name = 0;          ///< what the program calls it, 0: nothing
    std::uint64_t ncclHash = 0; ///< what NCCL calls it; 0: not known
};

/// A communicator as the hooks see it. It lives as long as the registry, also after its handle was
/// destroyed.
struct Communicator {
    std::uint32_t id = 0;
    std::uint64_t createdTicks = 0;
    CommunicatorIdentity identity; ///< hooks read it without the lock: what is known of it does not change
    std::atomic<std::uint64_t> nextSequence{0};
    std::atomic<std::uint64_t> children{0};
    std::atomic<bool> blocking{true}; ///< false: a call on it has returned before it was done
    bool inUse = true;                ///< its handle was not given back; under the registry's mutex
};

class Registry final {
public:
    /// Defines the names of all intercepted functions.
    explicit Registry(Ring& definitions);

    /// Returns 0 if there is no room for another definition now.
    StringId intern(std::string_view text);
    /// Returns 0 for the null stream and for a stream that is not registered yet.
    [[nodiscard]] std::uint32_t streamId(std::uint64_t handle) const
    {
        return handle != 0 ? m_streams.find(handle) : 0;
    }
    /// Returns the id of a stream, and registers it if needed. 0: no room.
    [[gnu::cold]] std::uint32_t addStream(std::uint64_t handle, std::int32_t device);
    void forgetStream(std::uint64_t handle);

    [[nodiscard]] Communicator* communicator(std::uint64_t handle) const
    {
        return m_communicators.find(handle);
    }
    Communicator* addCommunicator(const CommunicatorIdentity& identity)
    {
        return addCommunicator(identity, identity.handle);
    }
    /// Registers it under `key` instead of its handle (0: it cannot be looked up). Removes an earlier
    /// one with this key.
    Communicator* addCommunicator(const CommunicatorIdentity& identity, std::uint64_t key);
    /// Adds NCCL's own hash, which becomes known later. Returns false if there is no room now.
    bool nameCommunicator(const Communicator& communicator, std::uint64_t ncclHash, std::string_view name);
    /// Updates a registered communicator. Its row in the trace is written again.
    void amendCommunicator(Communicator& communicator, const CommunicatorIdentity& identity);
    /// Communicators without a parent and with a known hash, in order of creation. They determine the
    /// ranks.
    [[nodiscard]] std::vector<CommunicatorIdentity> worldCommunicators();
    void forgetCommunicator(std::uint64_t handle);
    /// Number of data calls on all communicators so far. Null: no communicator is in use.
    [[nodiscard]] std::optional<std::uint64_t> collectivesIssued();

    void addThread(std::uint32_t threadId, std::uint32_t tid, const char* name);
    void recordClock(const ClockSample& sample);
    /// Returns false if there is no room now.
    bool recordWindow(std::int64_t startNs, std::uint64_t steps, std::string_view level,
                      const WindowReason& why);
    /// Defines a series under a new id, or again under the id it has. Returns 0 if there is no room for
    /// the definition.
    std::uint32_t defineSeries(const SeriesDefinition& definition, std::uint32_t id = 0);
    /// Thread ids (of the kernel) added since the last call; only the first ones if there are too many.
    [[nodiscard]] std::vector<std::uint32_t> takeNewThreads();

    /// Bit n is set if this process used device n.
    std::atomic<std::uint64_t> devicesSeen{0};
    /// Number of communicators that were ever in worldCommunicators().
    std::atomic<std::uint32_t> worldCommunicatorsSeen{0};

    Graphs graphs;
    ThreadIds threadIds;

private:
    bool defineCommunicator(const Communicator& communicator, const CommunicatorIdentity& identity);
    bool defineString(StringId id, std::string_view text);

    std::mutex m_mutex;
    Ring& m_definitions;
    std::deque<Communicator> m_allCommunicators;
    StringId m_nextString;
    std::uint32_t m_nextStream = 1;
    std::uint32_t m_nextCommunicator = 1;
    std::uint32_t m_nextSeries = 1;
    std::array<std::uint32_t, 256> m_newThreads{};
    std::uint32_t m_newThreadCount = 0;
    HandleTable<StringId, 1 << 16> m_strings;
    HandleTable<std::uint32_t, 1 << 12> m_streams;
    HandleTable<Communicator*, 1 << 12> m_communicators;
};

/// FNV-1a over bytes, finished by a multiply-shift so that all bits count; never 0.
std::uint64_t hashBytes(const void* data, std::size_t bytes, std::uint64_t seed = 0);

} // namespace ringside::collector
