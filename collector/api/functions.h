// SPDX-License-Identifier: Apache-2.0
// All intercepted functions as one enumeration. The value of an Api plus one is the string id of its
// name. These strings are defined when recording starts, so that a record needs no lookup.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace ringside::collector {

#define RS_API(result, name, parameters, arguments, what) name,
enum class Api : std::uint32_t {
#include "api/cuda_runtime_api.def"
#include "api/nccl_api.def"
    Count
};
#undef RS_API

#define RS_API(result, name, parameters, arguments, what) #name,
inline constexpr std::array<std::string_view, static_cast<std::size_t>(Api::Count)> kApiNames{
#include "api/cuda_runtime_api.def"
#include "api/nccl_api.def"
};
#undef RS_API

inline constexpr std::uint32_t stringIdOf(Api api)
{
    return static_cast<std::uint32_t>(api) + 1;
}
inline constexpr std::uint32_t kFirstFreeStringId = static_cast<std::uint32_t>(Api::Count) + 1;

} // namespace ringside::collector
