// SPDX-License-Identifier: Apache-2.0
// Decodes the global ids of an export: machine (8 bits for hardware, 8 for the virtual machine), process
// (24 bits) and thread (24 bits) in one number.
#pragma once
#include <cstdint>

namespace ringside::importers::nsys {

inline constexpr std::uint64_t kIdMask = 0xFFFFFF;

[[nodiscard]] constexpr std::int64_t machineOf(std::int64_t globalId)
{
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(globalId) >> 48U);
}
/// Returns machine and process of an id; the ids of a process and of its threads have the same key.
[[nodiscard]] constexpr std::int64_t processKey(std::int64_t globalId)
{
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(globalId) & ~kIdMask);
}
[[nodiscard]] constexpr std::int64_t pidOf(std::int64_t globalId)
{
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(globalId) >> 24U & kIdMask);
}
[[nodiscard]] constexpr std::uint32_t tidOf(std::int64_t globalTid)
{
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(globalTid) & kIdMask);
}

} // namespace ringside::importers::nsys
