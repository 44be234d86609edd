// SPDX-License-Identifier: Apache-2.0
#include "import/nsys/nccl_calls.h"

#include "import/nccl_names.h"
#include "import/nsys/nccl_units.h"
#include "import/text.h"
#include "model/collective_match.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

namespace ringside::importers::nsys {
namespace {

/// Identifies a communicator by NCCL's hash, or if that is not known by the number of its stream on the
/// device; and by the device.
struct CommunicatorKey {
    std::optional<std::uint64_t> hash;
    std::size_t stream = 0;
    std::int64_t device = -1;
    // NOLINTNEXTLINE(modernize-use-nullptr): the 0 that it compares with is the compiler's own
    auto operator<=>(const CommunicatorKey&) const = default;
};

struct Known {
    std::int64_t id = 0;
    std::int64_t nextSequence = 0;
};

class Builder final {
public:
    Builder(trace::ProcessTrace& process, const std::vector<NcclRange>& ranges)
        : m_process(process), m_ranges(ranges), m_strings(process)
    {
        for (const trace::ThreadRow& row : process.threads) {
            m_threads.emplace(static_cast<std::uint32_t>(row.tid), row.id);
        }
        for (const NcclRange& range : ranges) {
            if (range.payload.size && range.payload.communicator) {
                m_creations.emplace(*range.payload.communicator, &range);
            }
        }
    }

    void build()
    {
        const Units found = findUnits(m_process, m_ranges);
        numberStreams(found.units);
        for (const Unit& unit : found.units) {
            addUnit(unit);
        }
        std::ranges::sort(m_process.collectiveCalls, {}, &trace::CollectiveCallRow::id);
        report(found);
    }

private:
    /// Numbers the streams by their first NCCL kernel, because their ids differ between ranks. If all
    /// described calls on a stream have the same communicator, its undescribed kernels belong to that one,
    /// too.
    void numberStreams(const std::vector<Unit>& units)
    {
        std::map<std::int64_t, std::size_t> used; // by device
        for (const Unit& unit : units) {
            for (const std::size_t row : unit.kernels) {
                const auto [entry, fresh] = m_streams.try_emplace(streamOf(row));
                if (fresh) {
                    entry->second.place = used[m_process.kernels.device[row]]++;
                }
                for (const NcclRange* const call : unit.calls) {
                    if (const auto hash = call->payload.communicator) {
                        entry->second.ambiguous |= entry->second.hash.value_or(*hash) != *hash;
                        entry->second.hash = hash;
                    }
                }
            }
        }
    }

    [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> streamOf(std::size_t kernel) const
    {
        return {m_process.kernels.device[kernel], m_process.kernels.stream[kernel]};
    }

    /// Returns the communicator of a call. Null if neither its payload nor a kernel identifies it.
    std::optional<CommunicatorKey> keyOf(const Unit& unit, const Payload& payload)
    {
        CommunicatorKey key;
        key.hash = payload.communicator;
        if (!unit.kernels.empty()) {
            const Stream& stream = m_streams.at(streamOf(unit.kernels.front()));
            key.device = m_process.kernels.device[unit.kernels.front()];
            if (!key.hash && stream.hash && !stream.ambiguous) {
                key.hash = stream.hash;
            }
            key.stream = key.hash ? 0 : stream.place;
            m_unnamed += key.hash ? 0 : 1;
            return key;
        }
        if (!key.hash) {
            return std::nullopt;
        }
        key.device = deviceOf(*key.hash);
        return key;
    }

    /// Returns the device of a communicator, from its creation or an earlier kernel. -1 if it is not known.
    [[nodiscard]] std::int64_t deviceOf(std::uint64_t hash) const
    {
        if (const NcclRange* const made = creationOf(hash, std::nullopt)) {
            return made->payload.device.value_or(-1);
        }
        const auto used = m_communicators.lower_bound({hash, 0, -1});
        return used != m_communicators.end() && used->first.hash == hash ? used->first.device : -1;
    }

    /// Returns the range in which a communicator was created, on `device` if that is given. Null if it is not
    /// in the recording.
    [[nodiscard]] const NcclRange* creationOf(std::uint64_t hash, std::optional<std::int64_t> device) const
    {
        const auto [first, last] = m_creations.equal_range(hash);
        const auto found = std::find_if(first, last, [&](const auto& entry) {
            const auto made = entry.second->payload.device;
            return !device || !made || made == device;
        });
        return found != last ? found->second : nullptr;
    }

    /// Returns the communicator of a call; the one with id 0 if it is not known.
    Known& communicatorOf(const Unit& unit, const Payload& payload)
    {
        const auto key = keyOf(unit, payload);
        m_unattributed += key ? 0 : 1;
        return key ? communicatorOf(*key, unit) : m_unknown;
    }

    Known& communicatorOf(const CommunicatorKey& key, const Unit& unit)
    {
        const auto [entry, fresh] = m_communicators.try_emplace(key);
        if (fresh) {
            trace::CommunicatorRow row;
            row.id = static_cast<std::int64_t>(m_communicators.size());
            row.rank = -1;
            row.device = key.device;
            row.createdNs = unit.startNs;
            row.hash = key.hash ? *key.hash : textHash(fmt::format("communication stream {}", key.stream));
            row.ncclHash = key.hash;
            const NcclRange* const made = key.hash ? creationOf(*key.hash, key.device) : nullptr;
            if (made != nullptr) {
                row.size = made->payload.size.value_or(0);
                row.rank = made->payload.rank.value_or(-1);
            }
            entry->second.id = row.id;
            m_process.communicators.push_back(row);
        }
        return entry->second;
    }

    void addUnit(const Unit& unit)
    {
        const bool fused = isFused(unit);
        if (unit.calls.empty() || fused) {
            addOne(unit, fused);
            return;
        }
        const std::int64_t group = unit.group ? m_nextId++ : 0;
        for (const NcclRange* const call : unit.calls) {
            addCall(unit, *call, group);
        }
        if (group != 0) {
            trace::GroupRow row;
            row.id = group;
            row.calls = static_cast<std::int64_t>(unit.calls.size());
            row.startNs = unit.startNs;
            row.launchStartNs = unit.launchStartNs;
            row.endNs = unit.endNs;
            row.thread = threadOf(unit.tid);
            m_process.groups.push_back(row);
        }
        link(unit, group != 0 ? group : m_nextId - 1);
    }

    /// Whether the unit is a group of sends and receives that PyTorch's annotation names as one collective.
    [[nodiscard]] bool isFused(const Unit& unit) const
    {
        const auto pointToPoint = [&](std::string_view name) {
            return model::isPointToPoint(model::collectiveKind(name));
        };
        return unit.annotated && !pointToPoint(unit.surrounding) &&
               std::ranges::all_of(unit.calls,
                                   [&](const NcclRange* call) {
                                       return pointToPoint(m_process.text(call->name)) &&
                                              call->payload.communicator ==
                                                  unit.calls.front()->payload.communicator;
                                   }) &&
               !unit.calls.empty();
    }

    /// Adds a unit as one call, named by its annotation or kernel.
    void addOne(const Unit& unit, bool fused)
    {
        const Payload payload = fused ? unit.calls.front()->payload : Payload();
        Known& communicator = communicatorOf(unit, payload);
        const std::int64_t sequence = communicator.nextSequence++;
        if (unit.surrounding.empty()) { // it uses a sequence number, so that later calls match correctly
            ++m_nameless;
            return;
        }
        trace::CollectiveCallRow row = rowOf(unit, unit.surrounding, communicator.id, sequence);
        row.startNs = unit.startNs;
        row.endNs = unit.endNs;
        row.bytes = fused ? sameBytes(unit) : std::nullopt;
        m_process.collectiveCalls.push_back(row);
        link(unit, row.id);
    }

    /// Returns the size of each peer's message. Null if the sizes differ.
    [[nodiscard]] static std::optional<std::uint64_t> sameBytes(const Unit& unit)
    {
        const auto bytes = unit.calls.front()->payload.bytes;
        const bool same = std::ranges::all_of(
            unit.calls, [&](const NcclRange* call) { return call->payload.bytes == bytes; });
        return same ? bytes : std::nullopt;
    }

    void addCall(const Unit& unit, const NcclRange& call, std::int64_t group)
    {
        Known& communicator = communicatorOf(unit, call.payload);
        trace::CollectiveCallRow row =
            rowOf(unit, m_process.text(call.name), communicator.id, communicator.nextSequence++);
        row.groupId = group;
        row.startNs = call.startNs;
        row.endNs = call.endNs;
        row.bytes = call.payload.bytes;
        row.peer = call.payload.peer;
        row.reduction = call.payload.reduction;
        m_process.collectiveCalls.push_back(row);
    }

    trace::CollectiveCallRow rowOf(const Unit& unit, std::string_view function, std::int64_t communicator,
                                   std::int64_t sequence)
    {
        trace::CollectiveCallRow row;
        row.id = m_nextId++;
        row.api = m_strings.idOf(function);
        row.communicator = communicator;
        row.sequence = sequence;
        row.thread = threadOf(unit.tid);
        return row;
    }

    void link(const Unit& unit, std::int64_t id)
    {
        for (const std::size_t row : unit.kernels) {
            m_process.callCorrelations.correlation.push_back(m_process.kernels.correlation[row]);
            m_process.callCorrelations.call.push_back(static_cast<std::uint64_t>(id));
        }
    }

    [[nodiscard]] std::int64_t threadOf(std::uint32_t tid) const
    {
        const auto found = m_threads.find(tid);
        return found != m_threads.end() ? found->second : 0;
    }

    void report(const Units& found)
    {
        noteUnattributed(m_process, found.sharedLaunch, m_nameless);
        note(m_process, trace::Issue::GroupsUnknown, m_unnamed,
             "collectives have no communicator in the trace; they are matched by their order on each "
             "communication stream, as if every rank took part");
        note(m_process, trace::Issue::CallsWithoutKernel, m_unattributed,
             "NCCL calls have no kernel in the recording and an unknown communicator; they are not matched");
        note(m_process, trace::Issue::HalfGroup, found.brokenGroups,
             "groups of NCCL calls began before the recording; their calls were not grouped");
    }

    trace::ProcessTrace& m_process;
    const std::vector<NcclRange>& m_ranges;
    struct Stream {
        std::size_t place = 0;
        std::optional<std::uint64_t> hash;
        bool ambiguous = false;
    };
    std::map<std::pair<std::uint32_t, std::uint32_t>, Stream> m_streams; ///< by device and stream
    std::map<CommunicatorKey, Known> m_communicators;
    Known m_unknown;                                            ///< stands for all unknown communicators
    std::multimap<std::uint64_t, const NcclRange*> m_creations; ///< of communicators, by their hash
    std::unordered_map<std::uint32_t, std::int64_t> m_threads;  ///< ids by tid
    StringTable m_strings;
    std::int64_t m_nextId = 1;
    std::int64_t m_nameless = 0, m_unnamed = 0, m_unattributed = 0;
};

} // namespace

void addCollectives(trace::ProcessTrace& process, const std::vector<NcclRange>& ranges)
{
    Builder(process, ranges).build();
}

} // namespace ringside::importers::nsys
