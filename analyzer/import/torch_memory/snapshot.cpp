// SPDX-License-Identifier: Apache-2.0
#include "import/torch_memory/snapshot.h"

#include "trace/read/plausible.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

namespace ringside::importers::torch_memory {
namespace {

using pickle::Type;
using pickle::ValueId;
using pickle::Values;

/// Limits of what is read: a small pickle may refer to one list a million times. With them no sum overflows.
constexpr std::size_t kMostOfAKind = 4'000'000;               ///< blocks or events
constexpr std::int64_t kLargestBytes = std::int64_t{1} << 40; ///< of a block, an event or a segment
constexpr std::int64_t kMostDevices = 1024;

class Reader final {
public:
    explicit Reader(const pickle::Document& document) : m_values(document.values), m_root(document.root) {}

    Snapshot read()
    {
        // torch.cuda.memory_snapshot() gives the list of segments alone.
        const bool isList = m_values.typeOf(m_root) == Type::List;
        const ValueId segments = isList ? m_root : m_values.find(m_root, "segments");
        const ValueId histories = m_values.find(m_root, "device_traces");
        m_snapshot.found =
            m_values.typeOf(segments) == Type::List || m_values.typeOf(histories) == Type::List;
        for (const ValueId segment : m_values.childrenOf(segments)) {
            readSegment(segment);
        }
        for (auto& [number, device] : m_snapshot.devices) {
            leaveOutOverlaps(device);
        }
        readHistories(m_values.childrenOf(histories));
        return std::move(m_snapshot);
    }

private:
    std::optional<std::int64_t> numberOf(ValueId of, std::string_view key, std::int64_t most) const
    {
        const auto number = m_values.integerOf(m_values.find(of, key));
        return number && *number >= 0 && *number <= most ? number : std::nullopt;
    }
    std::optional<std::int64_t> bytesOf(ValueId of, std::string_view key) const
    {
        return numberOf(of, key, kLargestBytes);
    }
    std::optional<std::int64_t> addressOf(ValueId of, std::string_view key) const
    {
        return numberOf(of, key, std::numeric_limits<std::int64_t>::max() - kLargestBytes);
    }
    [[nodiscard]] ValueId orNone(ValueId frames) const
    {
        return m_values.childrenOf(frames).empty() ? Values::kNone : frames;
    }

    void readSegment(ValueId value)
    {
        const auto device = numberOf(value, "device", kMostDevices - 1);
        const auto address = addressOf(value, "address");
        const auto bytes = bytesOf(value, "total_size");
        if (!device || !address || !bytes || ++m_blocks > kMostOfAKind) {
            ++m_snapshot.damaged;
            return;
        }
        Segment segment{*address, *bytes, m_values.isTrue(m_values.find(value, "is_expandable")), {}};
        std::int64_t next = *address;
        for (const ValueId block : m_values.childrenOf(m_values.find(value, "blocks"))) {
            if (!readBlock(block, next, segment)) {
                ++m_snapshot.contradictory;
                return;
            }
        }
        if (next - *address != *bytes) {
            ++m_snapshot.contradictory;
            return;
        }
        m_snapshot.devices[*device].segments.push_back(std::move(segment));
    }

    /// PyTorch before 2.1 does not tell where a block lies: behind the one before it.
    bool readBlock(ValueId value, std::int64_t& next, Segment& segment)
    {
        const auto bytes = bytesOf(value, "size");
        const auto use = useOf(m_values.textOf(m_values.find(value, "state")));
        const std::int64_t address = addressOf(value, "address").value_or(next);
        if (++m_blocks > kMostOfAKind || !bytes || !use || address != next ||
            next - segment.address + *bytes > segment.bytes) {
            return false;
        }
        Block block{address, *bytes, 0, *use, orNone(m_values.find(value, "frames"))};
        next += *bytes;
        if (*use != Use::Free) {
            block.requested = bytesOf(value, "requested_size").value_or(*bytes);
            readOldHistory(value, block);
        }
        segment.blocks.push_back(block);
        return block.requested <= block.bytes;
    }

    /// Before 2.1 a block has a list of its last allocations, the newest first, in place of frames.
    void readOldHistory(ValueId value, Block& block) const
    {
        const auto& history = m_values.childrenOf(m_values.find(value, "history"));
        if (!history.empty()) {
            block.requested = bytesOf(history.front(), "real_size").value_or(block.requested);
            block.frames = orNone(m_values.find(history.front(), "frames"));
        }
    }

    static std::optional<Use> useOf(std::string_view text)
    {
        if (text == "inactive") {
            return Use::Free;
        }
        if (text == "active_allocated") {
            return Use::Allocated;
        }
        // The second is the word of PyTorch's documentation.
        const bool awaits = text == "active_pending_free" || text == "active_awaiting_free";
        return awaits ? std::optional(Use::AwaitsFree) : std::nullopt;
    }

    void leaveOutOverlaps(Device& device)
    {
        std::ranges::stable_sort(device.segments, {}, &Segment::address);
        std::int64_t end = 0;
        m_snapshot.contradictory +=
            static_cast<std::int64_t>(std::erase_if(device.segments, [&end](const Segment& segment) {
                const bool overlaps = segment.address < end;
                end = overlaps ? end : segment.address + segment.bytes;
                return overlaps;
            }));
    }

    void readHistories(const std::vector<ValueId>& histories)
    {
        for (std::size_t i = 0; i < histories.size() && std::cmp_less(i, kMostDevices); ++i) {
            for (const ValueId event : m_values.childrenOf(histories[i])) {
                readEvent(event, static_cast<std::int64_t>(i));
            }
        }
    }

    void readEvent(ValueId value, std::int64_t device)
    {
        const std::string_view name = m_values.textOf(m_values.find(value, "action"));
        const std::optional<Action> action = actionOf(name);
        if (!action && !name.empty()) {
            return; // "free_requested": it is held until "free_completed"; "snapshot", "annotate"
        }
        const bool failed = action == Action::OutOfMemory;
        const auto address = failed ? bytesOf(value, "device_free") : addressOf(value, "addr");
        const auto bytes = bytesOf(value, "size");
        if (!action || !address || !bytes || ++m_events > kMostOfAKind) {
            ++m_snapshot.damaged;
            return;
        }
        Event event{*action, *address, *bytes, dateOf(value), orNone(m_values.find(value, "frames")), {}};
        event.category = m_values.find(value, "user_metadata");
        if (m_values.textOf(event.category).empty()) {
            event.category = m_values.find(value, "category"); // of a profile made a snapshot
        }
        m_snapshot.devices[device].history.push_back(event);
    }

    std::optional<std::int64_t> dateOf(ValueId value) const
    {
        constexpr std::int64_t kNsPerUs = 1000;
        const auto us = numberOf(value, "time_us", trace::kFarthestDateNs / kNsPerUs);
        return us && *us > 0 ? std::optional(*us * kNsPerUs) : std::nullopt;
    }

    static std::optional<Action> actionOf(std::string_view text)
    {
        constexpr std::pair<std::string_view, Action> kActions[] = {
            {"alloc", Action::Allocate},        {"free_completed", Action::Free},
            {"segment_alloc", Action::Reserve}, {"segment_free", Action::Release},
            {"segment_map", Action::Reserve},   {"segment_unmap", Action::Release},
            {"oom", Action::OutOfMemory},
        };
        const auto* const found =
            std::ranges::find(kActions, text, &std::pair<std::string_view, Action>::first);
        return found == std::end(kActions) ? std::nullopt : std::optional(found->second);
    }

    const Values& m_values;
    ValueId m_root;
    Snapshot m_snapshot;
    std::size_t m_blocks = 0;
    std::size_t m_events = 0;
};

} // namespace

Snapshot readSnapshot(const pickle::Document& document)
{
    return Reader(document).read();
}

} // namespace ringside::importers::torch_memory
