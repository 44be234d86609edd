// SPDX-License-Identifier: Apache-2.0
// The calculation is that of the CUDA toolkit's cuda_occupancy.h (and of Nsight Compute's occupancy
// calculator) for compute capability 7.0 and later. It assumes that the driver gives the kernel the largest
// possible shared memory, and leaves out thread block clusters and named barriers, which may lower it.
#include "trace/vocabulary/occupancy.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace ringside::trace {
namespace {

struct Device {
    std::int64_t major, minor;
    std::int64_t threads, blocks, sharedBytes; ///< of a multiprocessor
};

constexpr std::int64_t kKib = 1024;
/// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
constexpr std::array kDevices{
    Device{7, 0, 2048, 32, 96 * kKib},   Device{7, 2, 2048, 32, 96 * kKib},
    Device{7, 5, 1024, 16, 64 * kKib},   Device{8, 0, 2048, 32, 164 * kKib},
    Device{8, 6, 1536, 16, 100 * kKib},  Device{8, 7, 1536, 16, 164 * kKib},
    Device{8, 9, 1536, 24, 100 * kKib},  Device{9, 0, 2048, 32, 228 * kKib},
    Device{10, 0, 2048, 32, 228 * kKib}, Device{10, 3, 2048, 32, 228 * kKib},
    Device{12, 0, 1536, 24, 100 * kKib}, Device{12, 1, 1536, 24, 100 * kKib},
};
// The same for all of them.
constexpr std::int64_t kWarpThreads = 32;
constexpr std::int64_t kMostThreads = 1024; ///< of a block
constexpr std::int64_t kRegisters = 65536;  ///< of a multiprocessor, and the most of a block
constexpr std::int64_t kMostRegisters = 255;
constexpr std::int64_t kRegisterUnit = 256;   ///< in which a warp gets its registers
constexpr std::int64_t kPartitions = 4;       ///< of a multiprocessor; each has its own registers
constexpr std::int64_t kFirstWithReserve = 8; ///< major number from which on the system takes shared memory

constexpr std::int64_t ceilTo(std::int64_t value, std::int64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/// Blocks whose registers fit; 0 if not even one does.
std::int64_t blocksByRegisters(std::int64_t registersPerThread, std::int64_t warpsOfBlock)
{
    const std::int64_t ofWarp = ceilTo(registersPerThread * kWarpThreads, kRegisterUnit);
    // the hardware checks as if a block took its registers from all partitions alike
    if (ofWarp * ceilTo(warpsOfBlock, kPartitions) > kRegisters) {
        return 0;
    }
    return kRegisters / kPartitions / ofWarp * kPartitions / warpsOfBlock;
}

std::int64_t blocksByShared(std::int64_t bytes, const Device& device)
{
    constexpr std::int64_t kUnitBefore = 256;
    constexpr std::int64_t kUnit = 128;
    const bool reserves = device.major >= kFirstWithReserve;
    const std::int64_t ofBlock = ceilTo(bytes + (reserves ? kKib : 0), reserves ? kUnit : kUnitBefore);
    return ofBlock == 0 ? device.blocks : device.sharedBytes / ofBlock;
}

} // namespace

std::optional<Occupancy> theoreticalOccupancy(const OccupancyInput& input)
{
    const auto* const device = std::ranges::find_if(kDevices, [&](const Device& each) {
        return each.major == input.computeMajor && each.minor == input.computeMinor;
    });
    if (device == kDevices.end() || input.threads < 1 || input.threads > kMostThreads ||
        input.registersPerThread < 1 || input.registersPerThread > kMostRegisters || input.sharedBytes < 0 ||
        input.sharedBytes > device->sharedBytes) {
        return std::nullopt;
    }
    const std::int64_t warps = ceilTo(input.threads, kWarpThreads) / kWarpThreads;
    Occupancy result;
    result.mostWarps = device->threads / kWarpThreads;
    // in the order of OccupancyLimit
    const std::array limits{result.mostWarps / warps, device->blocks,
                            blocksByRegisters(input.registersPerThread, warps),
                            blocksByShared(input.sharedBytes, *device)};
    const auto* const least = std::ranges::min_element(limits);
    result.blocks = *least;
    result.warps = result.blocks * warps;
    result.limit = static_cast<OccupancyLimit>(least - limits.begin());
    return result.blocks > 0 ? std::optional(result) : std::nullopt;
}

std::string_view limitName(OccupancyLimit limit)
{
    constexpr std::array<std::string_view, 4> kNames{"warps", "blocks", "registers", "shared memory"};
    return kNames[static_cast<std::size_t>(limit)];
}

} // namespace ringside::trace
