// SPDX-License-Identifier: Apache-2.0
// What NCCL's ranges carry: schemas as they are registered, boiled down to where the few values lie that we
// read, and those values out of a payload. Counts, sizes and offsets are a stranger's word: what does not fit
// is not there. Knows nothing of ranges, threads or the recording.
#pragma once
#include "abi/nvtx.h"
#include "record/handle_table.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ringside::collector::nvtx {

/// The values we read, by the name of their entry in NCCL's schemas (nvtx_payload_schemas.h of its source).
enum class Field : std::uint8_t {
    Communicator,
    Parent,
    Bytes,
    Root,
    Peer,
    Reduction,
    Devices,
    Ranks,
    Rank,
    Device,
    Count
};
inline constexpr std::size_t kFieldCount = static_cast<std::size_t>(Field::Count);

/// A number of 1, 2, 4 or 8 bytes.
struct NumberType {
    std::uint8_t bytes = 0; ///< 0: no plain number
    bool isSigned = false;
};
/// Of a predefined entry type (nvToolsExtPayload.h), on 64-bit Linux.
[[nodiscard]] NumberType numberType(std::uint64_t entryType);

/// Where a payload's values lie.
struct Layout {
    struct Place {
        std::uint32_t offset = 0;
        NumberType type;
    };
    std::size_t payloadBytes = 0;
    std::array<Place, kFieldCount> places{};
};

/// The values of one payload.
class Values final {
public:
    [[nodiscard]] std::optional<std::uint64_t> get(Field field) const
    {
        return m_values[static_cast<std::size_t>(field)];
    }
    /// The same of a number that must fit: `otherwise` when it is not there or does not.
    [[nodiscard]] std::int32_t get(Field field, std::int32_t otherwise) const;
    void set(Field field, std::uint64_t value) { m_values[static_cast<std::size_t>(field)] = value; }

private:
    std::array<std::optional<std::uint64_t>, kFieldCount> m_values{};
};

/// Reads what lies inside the `size` bytes that there are; more than the schema has are left alone.
void read(const Layout& layout, const void* payload, std::size_t size, Values& values);

/// The schemas of one domain: few, registered by one thread at a time, looked up without a lock.
class Schemas final {
public:
    /// `id` is the schema's name in later payloads. False when it is none that we can read, or one too many.
    bool add(const SchemaAttributes& schema, std::uint64_t id);
    void addEnum(const EnumAttributes& enumeration, std::uint64_t id);
    /// All payloads of one event together.
    [[nodiscard]] Values valuesOf(const PayloadData* payloads, std::size_t count) const;

private:
    [[nodiscard]] NumberType typeOf(std::uint64_t entryType) const;
    [[nodiscard]] std::optional<Layout> layoutOf(const SchemaAttributes& schema) const;

    static constexpr std::size_t kMost = 64;
    std::array<Layout, kMost> m_layouts{};
    std::size_t m_count = 0;
    HandleTable<const Layout*, 2 * kMost> m_byId;
    HandleTable<std::uint8_t, kMost> m_enumBytes; ///< by the enumeration's id
};

} // namespace ringside::collector::nvtx
