// SPDX-License-Identifier: Apache-2.0
// Numbers of the faults that NVIDIA's driver reports of a GPU, for who records them and who judges them.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

namespace ringside::trace {

/// Whether the GPU, or what ran on it, is lost after it (NVIDIA's catalogue of Xid errors).
constexpr bool isFatalXid(std::int64_t xid)
{
    constexpr std::array<std::int64_t, 8> kFatal = {48, 64, 74, 79, 95, 119, 120, 140};
    constexpr std::int64_t kFirstOfNvlink5 = 144;
    constexpr std::int64_t kLastOfNvlink5 = 150;
    return std::find(kFatal.begin(), kFatal.end(), xid) != kFatal.end() ||
           (xid >= kFirstOfNvlink5 && xid <= kLastOfNvlink5);
}

} // namespace ringside::trace
