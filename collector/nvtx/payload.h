// SPDX-License-Identifier: Apache-2.0
// Payloads of NCCL's ranges. Keeps of each registered schema the offsets of the values that the
// collector reads, and reads them from payloads. Counts, sizes and offsets come from the program and are
// not trusted: a value outside the payload counts as absent. Independent of ranges, threads and the
// recording.
#pragma once
#include "abi/nvtx.h"
#include "record/handle_table.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ringside::collector::nvtx {

/// The values that are read, by the name of their entry in NCCL's schemas (nvtx_payload_schemas.h in
/// NCCL's source).
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
/// The size of a predefined entry type (nvToolsExtPayload.h) on 64-bit Linux.
[[nodiscard]] NumberType numberType(std::uint64_t entryType);

/// The offsets of a payload's values.
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
    /// The same for a type that the number must fit into. Returns `otherwise` if it is absent or does
    /// not fit.
    [[nodiscard]] std::int32_t get(Field field, std::int32_t otherwise) const;
    void set(Field field, std::uint64_t value) { m_values[static_cast<std::size_t>(field)] = value; }

private:
    std::array<std::optional<std::uint64_t>, kFieldCount> m_values{};
};

/// Reads the values inside the `size` bytes of the payload. Bytes beyond the schema are ignored.
void read(const Layout& layout, const void* payload, std::size_t size, Values& values);

/// The schemas of a domain. There are few; one thread at a time registers them, and lookups take no
/// lock.
class Schemas final {
public:
    /// `id` names the schema in later payloads. Returns false if the schema cannot be read or there is
    /// no room.
    bool add(const SchemaAttributes& schema, std::uint64_t id);
    void addEnum(const EnumAttributes& enumeration, std::uint64_t id);
    /// Reads all payloads of one event.
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
