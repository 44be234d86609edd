// SPDX-License-Identifier: Apache-2.0
// Data types of collectives: the values of ncclDataType_t with text and size. datatypes.def is the list.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::trace {

/// The values are those of ncclDataType_t.
enum class Datatype : std::uint8_t {
#define RINGSIDE_DATATYPE(name, text, bytes, nccl, torch) name,
#include "trace/vocabulary/datatypes.def"
};

struct DatatypeEntry {
    Datatype datatype;
    std::string_view text;
    std::uint8_t bytes;     ///< size of an element
    std::string_view nccl;  ///< its enumerator in nccl.h
    std::string_view torch; ///< name that c10::ScalarType prints
};
inline constexpr std::array kDatatypes{
#define RINGSIDE_DATATYPE(name, text, bytes, nccl, torch)                                                    \
    DatatypeEntry{Datatype::name, text, bytes, nccl, torch},
#include "trace/vocabulary/datatypes.def"
};

[[nodiscard]] constexpr std::int64_t numberOf(Datatype datatype)
{
    return static_cast<std::int64_t>(datatype);
}

/// Returns null if this version does not know the number.
[[nodiscard]] constexpr const DatatypeEntry* findDatatype(std::int64_t number)
{
    return number >= 0 && number < static_cast<std::int64_t>(kDatatypes.size())
               ? &kDatatypes[static_cast<std::size_t>(number)]
               : nullptr;
}

/// Returns the size of an element, or null if the type is unknown.
[[nodiscard]] constexpr std::optional<std::uint64_t> elementBytes(std::int64_t number)
{
    const DatatypeEntry* const entry = findDatatype(number);
    return entry != nullptr ? std::optional<std::uint64_t>(entry->bytes) : std::nullopt;
}

/// Returns for example "float32", or "type 99" if this version does not know the number.
[[nodiscard]] inline std::string datatypeName(std::int64_t number)
{
    const DatatypeEntry* const entry = findDatatype(number);
    return entry != nullptr ? std::string(entry->text) : "type " + std::to_string(number);
}

[[nodiscard]] constexpr bool isInteger(std::optional<std::int64_t> number)
{
    return number && *number >= 0 && *number <= numberOf(Datatype::Uint64);
}

} // namespace ringside::trace
