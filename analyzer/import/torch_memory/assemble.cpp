// SPDX-License-Identifier: Apache-2.0
#include "import/torch_memory/assemble.h"

#include "import/note.h"
#include "import/text.h"
#include "import/torch_memory/moments.h"
#include "import/torch_memory/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace ringside::importers::torch_memory {
namespace {

/// Places of a moment that are kept. A training has some hundreds.
constexpr std::size_t kMostHolders = 4096;

class Assembler final {
public:
    Assembler(Snapshot snapshot, const pickle::Values& values, bool whole)
        : m_snapshot(std::move(snapshot)), m_values(values), m_whole(whole), m_strings(m_process)
    {}

    trace::ProcessTrace assemble()
    {
        setOrigin();
        for (auto& [number, device] : m_snapshot.devices) {
            if (!m_whole) {
                m_lost += static_cast<std::int64_t>(device.history.size());
                device.history.clear();
            }
            addDevice(number, momentsOf(device));
        }
        addTiers();
        addIssues();
        return std::move(m_process);
    }

private:
    void setOrigin()
    {
        std::optional<std::int64_t> first, last;
        for (const auto& [number, device] : m_snapshot.devices) {
            for (const Event& event : device.history) {
                if (event.dateNs) {
                    first = std::min(first.value_or(*event.dateNs), *event.dateNs);
                    last = std::max(last.value_or(*event.dateNs), *event.dateNs);
                }
            }
        }
        if (first) {
            m_originNs = *first;
            m_process.process.endNs = *last - *first;
            m_process.clockSamples.push_back({0, *first, std::nullopt, std::nullopt});
        }
    }

    void addDevice(std::int64_t number, const Moments& moments)
    {
        for (const Moment& moment : moments.moments) {
            if (moment.what != "snapshot" || moment.reserved > 0) {
                addMoment(number, moment);
            }
        }
        m_contradictions += moments.contradictions;
        m_uncertainBytes = std::max(m_uncertainBytes, moments.uncertainBytes);
        m_withoutHistory += moments.moments.size() == 1 && moments.moments.front().reserved > 0 ? 1 : 0;
    }

    void addMoment(std::int64_t device, const Moment& moment)
    {
        trace::MemoryStateRow row;
        row.id = static_cast<std::int64_t>(m_process.memoryStates.size()) + 1;
        row.device = device;
        row.moment = moment.what;
        row.timeNs = moment.dateNs ? std::optional(*moment.dateNs - m_originNs) : std::nullopt;
        row.events = moment.events;
        row.requestedBytes = moment.requested;
        row.reservedBytes = moment.reserved;
        if (moment.layout) {
            row.allocatedBytes = moment.layout->allocated;
            row.activeBytes = moment.layout->active;
            row.inactiveSplitBytes = moment.layout->inactiveSplit;
            row.largestFreeBytes = moment.layout->largestFree;
        }
        row.wantedBytes = moment.wanted;
        row.deviceFreeBytes = moment.deviceFree;
        m_process.memoryStates.push_back(row);
        addHolders(row.id, moment.holders);
    }

    /// Stacks that differ only within PyTorch are one place.
    void addHolders(std::int64_t state, const Holders& holders)
    {
        std::map<std::pair<trace::StringId, trace::StringId>, trace::MemoryHolderRow> rows;
        for (const auto& [of, held] : holders) {
            const trace::StringId place = placeOf(of.first);
            const trace::StringId category = m_strings.idOf(cleanText(m_values.textOf(of.second)));
            trace::MemoryHolderRow& row = rows[{place, category}];
            row = {state, place, category, row.bytes + held.bytes, row.blocks + held.blocks};
        }
        std::vector<trace::MemoryHolderRow> sorted;
        std::ranges::transform(rows, std::back_inserter(sorted),
                               [](const auto& each) { return each.second; });
        std::ranges::stable_sort(sorted, std::greater(), &trace::MemoryHolderRow::bytes);
        m_holdersLost += static_cast<std::int64_t>(sorted.size() - std::min(sorted.size(), kMostHolders));
        sorted.resize(std::min(sorted.size(), kMostHolders));
        m_process.memoryHolders.insert(m_process.memoryHolders.end(), sorted.begin(), sorted.end());
    }

    trace::StringId placeOf(pickle::ValueId frames)
    {
        const auto [place, fresh] = m_places.try_emplace(frames, 0);
        if (fresh) {
            place->second = m_strings.idOf(torch_memory::placeOf(m_values, frames));
        }
        return place->second;
    }

    void addTiers()
    {
        const auto tier = [this](trace::TierName name, const char* reason) {
            m_process.tiers.push_back({std::move(name), false, reason, std::nullopt, std::nullopt});
        };
        tier("host", "a snapshot of PyTorch's allocator does not contain calls");
        tier("device", "a snapshot of PyTorch's allocator does not tell what ran on the GPU");
        tier("nvtx", "a snapshot of PyTorch's allocator does not contain ranges");
        tier("nccl", "a snapshot of PyTorch's allocator does not contain communication");
        tier("sampled", "a snapshot of PyTorch's allocator does not sample GPU, links or host");
    }

    void addIssues()
    {
        note(m_process, trace::Issue::DamagedEntry, m_snapshot.damaged,
             "segments or events lack their address, size or kind, or are too many or too large; they were "
             "left "
             "out");
        note(m_process, trace::Issue::MemoryContradicts, m_snapshot.contradictory,
             "segments have blocks that do not fill them, or lie in another one; they were left out");
        note(
            m_process, trace::Issue::MemoryEventsContradict, m_contradictions,
            fmt::format("events contradict each other or the blocks at the end: what was held earlier may be "
                        "wrong by {} bytes",
                        m_uncertainBytes));
        note(m_process, trace::Issue::MemoryHistoryMissing, m_withoutHistory,
             m_lost > 0 ? "the end of the events is missing, so that what was held earlier is not known"
                        : "no events were recorded, so that the peak is not known: call "
                          "torch.cuda.memory._record_memory_history() at the start of the program");
        note(m_process, trace::Issue::EventsLeftOut, m_holdersLost, "places that held least were left out");
    }

    Snapshot m_snapshot;
    const pickle::Values& m_values;
    bool m_whole;
    trace::ProcessTrace m_process;
    StringTable m_strings;
    std::unordered_map<pickle::ValueId, trace::StringId> m_places;
    std::int64_t m_originNs = 0;
    std::int64_t m_lost = 0, m_contradictions = 0, m_uncertainBytes = 0, m_withoutHistory = 0,
                 m_holdersLost = 0;
};

} // namespace

trace::ProcessTrace assemble(Snapshot snapshot, const pickle::Values& values, bool whole)
{
    return Assembler(std::move(snapshot), values, whole).assemble();
}

} // namespace ringside::importers::torch_memory
