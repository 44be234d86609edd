// SPDX-License-Identifier: Apache-2.0
// Names and kinds of ncclDataType_t (nccl.h: the numbers are its ABI).
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::model {

inline constexpr std::int64_t kFloat32 = 7;

/// "float32"; "type 99" for a number that this version does not know.
[[nodiscard]] inline std::string datatypeName(std::int64_t datatype)
{
    constexpr std::array<std::string_view, 12> kNames = {"int8",    "uint8",    "int32",      "uint32",
                                                         "int64",   "uint64",   "float16",    "float32",
                                                         "float64", "bfloat16", "float8e4m3", "float8e5m2"};
    return datatype >= 0 && datatype < static_cast<std::int64_t>(kNames.size())
               ? std::string(kNames[static_cast<std::size_t>(datatype)])
               : "type " + std::to_string(datatype);
}

[[nodiscard]] inline bool isInteger(std::optional<std::int64_t> datatype)
{
    constexpr std::int64_t kLastInteger = 5;
    return datatype && *datatype >= 0 && *datatype <= kLastInteger;
}

} // namespace ringside::model
