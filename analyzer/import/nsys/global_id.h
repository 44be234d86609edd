// SPDX-License-Identifier: Apache-2.0
// The serialized ids of an export: machine (hardware and virtual machine, 8 bits each), process (24 bits) and
// thread (24 bits) in one number.
#pragma once
#include <cstdint>

namespace ringside::importers::nsys {

inline constexpr std::uint64_t kIdMask = 0xFFFFFF;

[[nodiscard]] constexpr std::int64_t machineOf(std::int64_t globalId)
{
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(globalId) >> 48U);
}
/// Machine and process; the same for a thread as for its process.
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
