// SPDX-License-Identifier: Apache-2.0
// Theoretical occupancy of a kernel: the warps that one multiprocessor can hold at the same time, as a share
// of the most that it can hold of any kernel. It follows from the launch configuration alone. It is an upper
// limit of what is achieved: a grid may be too small to fill the GPU, and blocks end at different times.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace ringside::trace {

/// What the calculation needs. All values must be known.
struct OccupancyInput {
    std::int64_t computeMajor = 0, computeMinor = 0; ///< compute capability of the device
    std::int64_t threads = 0;                        ///< of a block
    std::int64_t registersPerThread = 0;
    std::int64_t sharedBytes = 0; ///< of a block, static and dynamic
};

enum class OccupancyLimit : std::uint8_t { Warps, Blocks, Registers, SharedMemory };

struct Occupancy {
    std::int64_t blocks = 0; ///< that a multiprocessor holds
    std::int64_t warps = 0;  ///< of these blocks
    std::int64_t mostWarps = 0;
    OccupancyLimit limit = OccupancyLimit::Warps; ///< what allows no further block; the first of several
    [[nodiscard]] double percent() const
    {
        constexpr double kPercent = 100;
        return kPercent * static_cast<double>(warps) / static_cast<double>(mostWarps);
    }
};

/// Returns null for a compute capability whose limits are not known here, and for a block that such a
/// device could not run.
[[nodiscard]] std::optional<Occupancy> theoreticalOccupancy(const OccupancyInput& input);

[[nodiscard]] std::string_view limitName(OccupancyLimit limit);

} // namespace ringside::trace
