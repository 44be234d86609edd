// SPDX-License-Identifier: Apache-2.0
#include "nvtx/payload.h"

#include <cstring>
#include <limits>

namespace ringside::collector::nvtx {
namespace {

constexpr std::size_t kMostEntries = 64;
constexpr std::size_t kMostBytes = 4096; // of a payload
constexpr std::size_t kMostPayloads = 16;

struct FieldName {
    std::string_view name;
    Field field;
};
constexpr std::array kNames = {FieldName{"NCCL communicator ID", Field::Communicator},
                               FieldName{"Parent NCCL communicator ID", Field::Parent},
                               FieldName{"Message size [bytes]", Field::Bytes},
                               FieldName{"Root", Field::Root},
                               FieldName{"Peer rank", Field::Peer},
                               FieldName{"Reduction operation", Field::Reduction},
                               FieldName{"No. of devices", Field::Devices},
                               FieldName{"No. of ranks", Field::Ranks},
                               FieldName{"Rank", Field::Rank},
                               FieldName{"CUDA device", Field::Device}};
static_assert(kNames.size() == kFieldCount);

std::optional<Field> fieldOf(const char* name)
{
    constexpr std::size_t kLongest = 64;
    const std::string_view text(name != nullptr ? name : "", name != nullptr ? strnlen(name, kLongest) : 0);
    for (const FieldName& known : kNames) {
        if (known.name == text) {
            return known.field;
        }
    }
    return std::nullopt;
}

bool isPlain(const SchemaEntry& entry)
{
    constexpr std::uint64_t kElsewhereOrMany = 0x1FE; // pointers, offsets, arrays and deep copies
    return (entry.flags & kElsewhereOrMany) == 0 && entry.arrayOrUnionDetail == 0;
}

// Entries without an offset are laid out like the members of a struct.
std::uint64_t placeOf(const SchemaEntry& entry, std::size_t index, NumberType type, std::uint64_t end)
{
    const std::uint64_t align = type.bytes;
    return index > 0 && entry.offset == 0 ? (end + align - 1) / align * align : entry.offset;
}

template <class Integer>
std::uint64_t load(const unsigned char* at)
{
    Integer value{};
    std::memcpy(&value, at, sizeof value);
    return static_cast<std::uint64_t>(value);
}

std::uint64_t load(const unsigned char* at, NumberType type)
{
    switch (type.bytes) {
    case 1:
        return type.isSigned ? load<std::int8_t>(at) : load<std::uint8_t>(at);
    case 2:
        return type.isSigned ? load<std::int16_t>(at) : load<std::uint16_t>(at);
    case 4:
        return type.isSigned ? load<std::int32_t>(at) : load<std::uint32_t>(at);
    default:
        return load<std::uint64_t>(at);
    }
}

} // namespace

NumberType numberType(std::uint64_t entryType)
{
    static constexpr std::array<NumberType, 23> kTypes{{
        {},         {1, true},  {1, false}, {2, true},  {2, false}, // none, char, short
        {4, true},  {4, false}, {8, true},  {8, false},             // int, long
        {8, true},  {8, false},                                     // long long
        {1, true},  {1, false}, {2, true},  {2, false},             // of 8 and 16 bits
        {4, true},  {4, false}, {8, true},  {8, false},             // of 32 and 64 bits
        {},         {},         {},                                 // floating point
        {8, false},                                                 // size_t
    }};
    return entryType < kTypes.size() ? kTypes[entryType] : NumberType{};
}

std::int32_t Values::get(Field field, std::int32_t otherwise) const
{
    const auto value = static_cast<std::int64_t>(get(field).value_or(static_cast<std::uint64_t>(otherwise)));
    const bool fits = value >= 0 && value <= std::numeric_limits<std::int32_t>::max();
    return fits ? static_cast<std::int32_t>(value) : otherwise;
}

void read(const Layout& layout, const void* payload, std::size_t size, Values& values)
{
    const auto* const bytes = static_cast<const unsigned char*>(payload);
    const std::size_t there = size < layout.payloadBytes ? size : layout.payloadBytes;
    for (std::size_t field = 0; bytes != nullptr && field < kFieldCount; ++field) {
        const Layout::Place& place = layout.places[field];
        if (place.type.bytes != 0 && place.offset + std::size_t{place.type.bytes} <= there) {
            values.set(static_cast<Field>(field), load(bytes + place.offset, place.type));
        }
    }
}

NumberType Schemas::typeOf(std::uint64_t entryType) const
{
    const NumberType predefined = numberType(entryType);
    return predefined.bytes != 0 ? predefined : NumberType{m_enumBytes.find(entryType), false};
}

std::optional<Layout> Schemas::layoutOf(const SchemaAttributes& schema) const
{
    constexpr std::uint64_t kNeeded = kSchemaHasType | kSchemaHasEntries | kSchemaHasCount | kSchemaHasSize;
    if ((schema.fieldMask & kNeeded) != kNeeded || schema.type != kSchemaStatic ||
        schema.entries == nullptr || schema.entryCount == 0 || schema.entryCount > kMostEntries ||
        schema.payloadBytes > kMostBytes) {
        return std::nullopt;
    }
    Layout layout;
    layout.payloadBytes = schema.payloadBytes;
    std::uint64_t end = 0;
    for (std::size_t index = 0; index < schema.entryCount; ++index) {
        const SchemaEntry& entry = schema.entries[index];
        const NumberType type = typeOf(entry.type);
        if (!isPlain(entry) || type.bytes == 0) {
            end = kMostBytes; // later entries are only known if they have their own offset
            continue;
        }
        const std::uint64_t offset = placeOf(entry, index, type, end);
        if (offset > kMostBytes - type.bytes) {
            continue;
        }
        end = offset + type.bytes;
        if (const auto field = fieldOf(entry.name); field && end <= layout.payloadBytes) {
            layout.places[static_cast<std::size_t>(*field)] = {static_cast<std::uint32_t>(offset), type};
        }
    }
    return layout;
}

bool Schemas::add(const SchemaAttributes& schema, std::uint64_t id)
{
    const std::optional<Layout> layout = layoutOf(schema);
    if (!layout || id == 0) {
        return false;
    }
    if (m_count == m_layouts.size()) {
        return false;
    }
    m_layouts[m_count] = *layout;
    return m_byId.set(id, &m_layouts[m_count++]);
}

void Schemas::addEnum(const EnumAttributes& enumeration, std::uint64_t id)
{
    const std::size_t bytes = enumeration.valueBytes;
    if ((enumeration.fieldMask & kEnumHasSize) == 0 || id == 0 ||
        (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)) {
        return;
    }
    m_enumBytes.set(id, static_cast<std::uint8_t>(bytes));
}

Values Schemas::valuesOf(const PayloadData* payloads, std::size_t count) const
{
    Values values;
    for (std::size_t index = 0; payloads != nullptr && count <= kMostPayloads && index < count; ++index) {
        if (const Layout* const layout = m_byId.find(payloads[index].schemaId); layout != nullptr) {
            read(*layout, payloads[index].payload, payloads[index].size, values);
        }
    }
    return values;
}

} // namespace ringside::collector::nvtx
