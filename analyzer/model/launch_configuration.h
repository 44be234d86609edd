// SPDX-License-Identifier: Apache-2.0
// How a kernel was launched, and what follows from it on its device.
#pragma once
#include "trace/vocabulary/occupancy.h"

#include <ringside/trace/reader.h>

#include <array>
#include <cstddef>
#include <optional>

namespace ringside::model {

using Dimensions = std::array<std::int64_t, 3>; ///< x, y, z

struct KernelLaunch {
    trace::LaunchConfigurationRow row;             ///< values that are impossible are left out
    std::optional<Dimensions> grid, block;         ///< null unless all three are known
    std::optional<trace::Occupancy> occupancy;     ///< theoretical
    std::optional<double> blocksPerMultiprocessor; ///< of the whole grid, if spread evenly
};

/// Returns the launch of a kernel by its row. Null if the trace does not say.
[[nodiscard]] std::optional<KernelLaunch> launchConfigurationOf(const trace::ProcessTrace& process,
                                                                std::size_t kernel);

} // namespace ringside::model
