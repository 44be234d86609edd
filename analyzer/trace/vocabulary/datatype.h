// SPDX-License-Identifier: Apache-2.0
// What the elements of a collective are: ncclDataType_t by number, text and size. datatypes.def is the list.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::trace {

/// The numbers are ncclDataType_t's.
enum class Datatype : std::uint8_t {
#define RINGSIDE_DATATYPE(name, text, bytes, nccl, torch) name,
#include "trace/vocabulary/datatypes.def"
};

struct DatatypeEntry {
    Datatype datatype;
    std::string_view text;
    std::uint8_t bytes;     ///< of an element
    std::string_view nccl;  ///< its enumerator in nccl.h
    std::string_view torch; ///< as c10::ScalarType prints it
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

/// Null: a number that this version does not know.
[[nodiscard]] constexpr const DatatypeEntry* findDatatype(std::int64_t number)
{
    return number >= 0 && number < static_cast<std::int64_t>(kDatatypes.size())
               ? &kDatatypes[static_cast<std::size_t>(number)]
               : nullptr;
}

/// Bytes of an element; null where the type is not known.
[[nodiscard]] constexpr std::optional<std::uint64_t> elementBytes(std::int64_t number)
{
    const DatatypeEntry* const entry = findDatatype(number);
    return entry != nullptr ? std::optional<std::uint64_t>(entry->bytes) : std::nullopt;
}

/// "float32"; "type 99" for a number that this version does not know.
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
