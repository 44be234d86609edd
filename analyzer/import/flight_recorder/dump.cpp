// SPDX-License-Identifier: Apache-2.0
#include "import/flight_recorder/dump.h"

#include "import/decimal.h"
#include "import/text.h"
#include "trace/read/plausible.h"
#include "values/parse_number.h"

#include <algorithm>

namespace ringside::importers::flight_recorder {
namespace {

/// Limits of what is read. A small pickle may refer to one list a million times.
constexpr std::size_t kMostEntries = 1'000'000;
constexpr std::size_t kMostTensors = 16'384; ///< of one call
constexpr std::size_t kMostDimensions = 64;
constexpr std::int64_t kLargestNumber = std::int64_t{1} << 60;

class Reader final {
public:
    explicit Reader(const Document& document) : m_values(document.values), m_root(document.root) {}

    Dump read()
    {
        m_dump.version = cleanText(m_values.textOf(m_values.find(m_root, "version")));
        m_dump.ncclVersion = cleanText(m_values.textOf(m_values.find(m_root, "comm_lib_version")));
        if (m_dump.ncclVersion.empty()) {
            m_dump.ncclVersion = cleanText(m_values.textOf(m_values.find(m_root, "nccl_version")));
        }
        readGroups();
        readStatus();
        const auto& entries = m_values.childrenOf(m_values.find(m_root, "entries"));
        for (std::size_t i = 0; i < entries.size(); ++i) {
            if (i < kMostEntries) {
                readEntry(entries[i]);
            } else {
                ++m_dump.damaged;
            }
        }
        std::erase_if(m_dump.entries,
                      [&](const Entry& entry) { return m_dump.sharedNumbers.contains(entry.group); });
        return std::move(m_dump);
    }

private:
    void readGroups()
    {
        const auto& groups = m_values.childrenOf(m_values.find(m_root, "pg_config"));
        for (std::size_t i = 0; i + 1 < groups.size(); i += 2) {
            const ValueId group = groups[i + 1];
            m_dump.groups[cleanText(m_values.textOf(groups[i]))] = {
                cleanText(m_values.textOf(m_values.find(group, "desc"))),
                std::string(m_values.textOf(m_values.find(group, "ranks")))};
        }
    }

    void readStatus()
    {
        const ValueId status = m_values.find(m_root, "pg_status");
        const auto& groups = m_values.childrenOf(status);
        m_dump.hasStatus = m_values.typeOf(status) == Type::Dictionary;
        for (std::size_t i = 0; i + 1 < groups.size(); i += 2) {
            if (const auto id = values::parseNumber<std::int64_t>(m_values.textOf(groups[i]))) {
                m_dump.usedGroups.push_back(*id);
            }
        }
    }

    std::optional<std::int64_t> numberOf(ValueId entry, std::string_view key) const
    {
        const auto number = m_values.integerOf(m_values.find(entry, key));
        return number && *number >= 0 && *number <= kLargestNumber ? number : std::nullopt;
    }

    /// Returns a date in ns since 1970. Null if it is implausible or 0, which JSON dumps write for unknown
    /// ones.
    std::optional<std::int64_t> dateOf(ValueId entry, std::string_view key) const
    {
        const auto number = m_values.integerOf(m_values.find(entry, key));
        return number && *number > 0 && *number <= trace::kFarthestDateNs ? number : std::nullopt;
    }

    std::optional<std::uint64_t> elementsOf(ValueId tensor) const
    {
        const auto& dimensions = m_values.childrenOf(tensor);
        if (m_values.typeOf(tensor) != Type::List || dimensions.size() > kMostDimensions) {
            return std::nullopt;
        }
        std::uint64_t elements = 1;
        for (const ValueId dimension : dimensions) {
            const auto size = m_values.integerOf(dimension);
            if (!size || *size < 0 ||
                __builtin_mul_overflow(elements, static_cast<std::uint64_t>(*size), &elements)) {
                return std::nullopt;
            }
        }
        return elements;
    }

    Tensors tensorsOf(ValueId entry, std::string_view sizesKey, std::string_view typesKey) const
    {
        Tensors tensors;
        const ValueId list = m_values.find(entry, sizesKey);
        const auto& sizes = m_values.childrenOf(list);
        if (m_values.typeOf(list) == Type::List && sizes.size() <= kMostTensors) {
            tensors.elements = 0;
        }
        for (std::size_t i = 0; i < sizes.size() && tensors.elements; ++i) {
            const auto elements = elementsOf(sizes[i]);
            if (!elements || __builtin_add_overflow(*tensors.elements, *elements, &*tensors.elements)) {
                tensors.elements.reset();
            }
        }
        const auto& types = m_values.childrenOf(m_values.find(entry, typesKey));
        const auto same = [&](ValueId type) { return m_values.textOf(type) == m_values.textOf(types[0]); };
        if (!types.empty() && types.size() <= kMostTensors && std::ranges::all_of(types, same)) {
            tensors.datatype = cleanText(m_values.textOf(types[0]));
        }
        return tensors;
    }

    static std::optional<State> stateOf(std::string_view text)
    {
        if (text == "scheduled") {
            return State::Scheduled;
        }
        if (text == "started") {
            return State::Started;
        }
        return text == "completed" ? std::optional(State::Completed) : std::nullopt;
    }

    [[nodiscard]] bool isOld() const { return m_dump.version.starts_with("1."); }

    /// Version 1 names groups by their number, and counts messages and collectives together.
    void readOld(Entry& entry)
    {
        entry.group = std::to_string(entry.groupId);
        const auto group = m_dump.groups.find(entry.group);
        entry.groupDescription = group != m_dump.groups.end() ? group->second.description : "";
        entry.pointToPoint =
            entry.name.find("send ") != std::string::npos || entry.name.find("recv ") != std::string::npos;
        if (entry.pointToPoint) {
            m_dump.sharedNumbers.insert(entry.group);
        }
    }

    void readEntry(ValueId value)
    {
        const auto text = [&](std::string_view key) { return m_values.textOf(m_values.find(value, key)); };
        const bool old = isOld();
        const auto record = old ? numberOf(value, "record_id").value_or(std::ssize(m_dump.entries))
                                : numberOf(value, "record_id");
        const auto collective = numberOf(value, old ? "seq_id" : "collective_seq_id");
        const auto state = stateOf(text("state"));
        Entry entry;
        entry.name = cleanText(text("profiling_name"));
        if (!record || !collective || !state || entry.name.empty()) {
            ++m_dump.damaged;
            return;
        }
        const auto created = dateOf(value, "time_created_ns");
        if (!created) {
            ++m_dump.implausible;
            return;
        }
        entry.recordId = *record;
        entry.collectiveNumber = *collective;
        entry.state = *state;
        entry.createdNs = *created;
        entry.groupId = numberOf(value, "pg_id").value_or(-1);
        entry.messageNumber = numberOf(value, "p2p_seq_id").value_or(0);
        entry.pointToPoint = m_values.isTrue(m_values.find(value, "is_p2p"));
        entry.retired = m_values.isTrue(m_values.find(value, "retired"));
        entry.timeoutMs = numberOf(value, "timeout_ms");
        entry.timed = m_values.find(value, "duration_ms") != Values::kNone;
        entry.frames = m_values.find(value, "frames");
        entry.startedNs = dateOf(value, "time_discovered_started_ns");
        entry.seenNs = std::max(entry.startedNs, dateOf(value, "time_discovered_completed_ns"));
        m_dump.starts = m_dump.starts || entry.startedNs;
        if (old) {
            readOld(entry);
        }
        if (const auto& name = m_values.childrenOf(m_values.find(value, "process_group")); name.size() >= 2) {
            entry.group = cleanText(m_values.textOf(name[0]));
            entry.groupDescription = cleanText(m_values.textOf(name[1]));
        }
        entry.input = tensorsOf(value, "input_sizes", "input_dtypes");
        entry.output = tensorsOf(value, "output_sizes", "output_dtypes");
        m_dump.entries.push_back(std::move(entry));
    }

    const Values& m_values;
    ValueId m_root;
    Dump m_dump;
};

} // namespace

Dump readDump(const Document& document)
{
    return Reader(document).read();
}

} // namespace ringside::importers::flight_recorder
