// SPDX-License-Identifier: Apache-2.0
#include "model/launch_configuration.h"

#include "trace/write/launch_configurations.h"

#include <algorithm>

namespace ringside::model {
namespace {

using Value = std::optional<std::int64_t>;

std::optional<Dimensions> dimensions(Value x, Value y, Value z)
{
    return x && y && z ? std::optional(Dimensions{*x, *y, *z}) : std::nullopt;
}

std::optional<trace::Occupancy> occupancyOf(const KernelLaunch& launch, const trace::DeviceRow& device)
{
    if (!device.computeMajor || !device.computeMinor || !launch.block || !launch.row.registersPerThread ||
        !launch.row.sharedBytes) {
        return std::nullopt;
    }
    const Dimensions& block = *launch.block;
    return trace::theoreticalOccupancy({*device.computeMajor, *device.computeMinor,
                                        block[0] * block[1] * block[2], *launch.row.registersPerThread,
                                        *launch.row.sharedBytes});
}

} // namespace

std::optional<KernelLaunch> launchConfigurationOf(const trace::ProcessTrace& process, std::size_t kernel)
{
    const std::int64_t id = process.kernels.configuration[kernel];
    const auto& rows = process.launchConfigurations;
    const auto row = std::ranges::lower_bound(rows, id, {}, &trace::LaunchConfigurationRow::id);
    if (id == 0 || row == rows.end() || row->id != id) {
        return std::nullopt;
    }
    KernelLaunch launch;
    launch.row = trace::withoutImpossible(*row);
    launch.grid = dimensions(launch.row.gridX, launch.row.gridY, launch.row.gridZ);
    launch.block = dimensions(launch.row.blockX, launch.row.blockY, launch.row.blockZ);
    const auto device = std::ranges::find(process.devices, std::int64_t{process.kernels.device[kernel]},
                                          &trace::DeviceRow::ordinal);
    if (device == process.devices.end()) {
        return launch;
    }
    launch.occupancy = occupancyOf(launch, *device);
    if (launch.grid && device->multiprocessors.value_or(0) > 0) {
        const Dimensions& grid = *launch.grid;
        launch.blocksPerMultiprocessor = static_cast<double>(grid[0]) * static_cast<double>(grid[1]) *
                                         static_cast<double>(grid[2]) /
                                         static_cast<double>(*device->multiprocessors);
    }
    return launch;
}

} // namespace ringside::model
