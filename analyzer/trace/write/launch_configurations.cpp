// SPDX-License-Identifier: Apache-2.0
#include "trace/write/launch_configurations.h"

#include "trace/tables.h"

#include <initializer_list>
#include <optional>

namespace ringside::trace {
namespace {

using Value = std::optional<std::int64_t>;

/// Whether the row says anything beside its name.
bool isEmpty(const LaunchConfigurationRow& row)
{
    LaunchConfigurationRow nothing;
    nothing.id = row.id;
    nothing.name = row.name;
    return row == nothing;
}

void keepWithin(std::int64_t least, std::int64_t most, std::initializer_list<Value*> values)
{
    for (Value* const value : values) {
        if (*value && (**value < least || **value > most)) {
            value->reset();
        }
    }
}

} // namespace

std::size_t LaunchConfigurations::Hash::operator()(const LaunchConfigurationRow& row) const
{
    constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15U; // 2^64 / golden ratio
    std::uint64_t hash = row.name;
    TableOf<LaunchConfigurationRow>::forEachColumn([&](const char*, auto member) {
        if constexpr (IsOptional<std::remove_cvref_t<decltype(row.*member)>>::value) {
            const std::uint64_t value = static_cast<std::uint64_t>((row.*member).value_or(-1));
            hash = (hash ^ value) * kMultiplier;
            hash ^= hash >> 32U;
        }
    });
    return hash;
}

LaunchConfigurations::Found LaunchConfigurations::idOf(LaunchConfigurationRow row)
{
    row.id = 0;
    const auto known = m_ids.find(row);
    if (known != m_ids.end()) {
        return {known->second, false};
    }
    if (isEmpty(row)) {
        return {};
    }
    if (m_ids.size() >= kMost) {
        ++m_refused;
        return {};
    }
    const auto id = static_cast<std::uint32_t>(m_ids.size() + 1);
    m_ids.emplace(row, id);
    return {id, true};
}

void addSharedBytes(LaunchConfigurationRow& row)
{
    if (row.staticSharedBytes && row.dynamicSharedBytes) {
        row.sharedBytes = *row.staticSharedBytes + *row.dynamicSharedBytes;
    }
}

// maxGridSize and maxThreadsDim of CUDA's devices have not grown since compute capability 3.0. Where a later
// device may have more, there is room.
LaunchConfigurationRow withoutImpossible(LaunchConfigurationRow row)
{
    constexpr std::int64_t kMostBlocks = 0x7FFFFFFF;
    constexpr std::int64_t kMostThreads = 65535;
    constexpr std::int64_t kMostRegisters = 65535;
    constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;
    keepWithin(1, kMostBlocks, {&row.gridX, &row.gridY, &row.gridZ});
    keepWithin(1, kMostThreads, {&row.blockX, &row.blockY, &row.blockZ});
    keepWithin(1, kMostRegisters, {&row.registersPerThread});
    keepWithin(0, kMostBytes, {&row.staticSharedBytes, &row.dynamicSharedBytes, &row.sharedBytes});
    // The PyTorch profiler writes 0 for less than half a percent, but also for each kernel with more than 48
    // KiB of shared memory, which it thinks cannot run.
    keepWithin(1, 100, {&row.estimatedOccupancyPercent});
    return row;
}

} // namespace ringside::trace
