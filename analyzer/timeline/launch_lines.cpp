// SPDX-License-Identifier: Apache-2.0
#include "timeline/launch_lines.h"

#include "model/launch_configuration.h"
#include "values/text.h"

#include <fmt/format.h>

namespace ringside::timeline {
namespace {

std::string dimensionText(const model::Dimensions& size)
{
    return fmt::format("{} x {} x {}", size[0], size[1], size[2]);
}

std::string bytes(std::int64_t value)
{
    return values::byteText(static_cast<double>(value));
}

std::string sharedText(const trace::LaunchConfigurationRow& row)
{
    std::string text = bytes(*row.sharedBytes) + " per block";
    if (row.staticSharedBytes && row.dynamicSharedBytes) {
        text += fmt::format(" ({} static, {} dynamic)", bytes(*row.staticSharedBytes),
                            bytes(*row.dynamicSharedBytes));
    }
    return text;
}

std::string occupancyText(const trace::Occupancy& occupancy)
{
    return fmt::format("{:.0f} % ({} of {} warps per multiprocessor, limited by {})", occupancy.percent(),
                       occupancy.warps, occupancy.mostWarps, trace::limitName(occupancy.limit));
}

} // namespace

void addLaunchLines(const trace::ProcessTrace& process, std::size_t kernel,
                    std::vector<std::pair<std::string, std::string>>& lines)
{
    const auto launch = model::launchConfigurationOf(process, kernel);
    if (!launch) {
        return;
    }
    if (launch->grid) {
        lines.emplace_back("grid", dimensionText(*launch->grid) + " blocks");
    }
    if (launch->block) {
        lines.emplace_back("block", dimensionText(*launch->block) + " threads");
    }
    if (launch->row.registersPerThread) {
        lines.emplace_back("registers", fmt::format("{} per thread", *launch->row.registersPerThread));
    }
    if (launch->row.sharedBytes) {
        lines.emplace_back("shared memory", sharedText(launch->row));
    }
    if (launch->blocksPerMultiprocessor) {
        lines.emplace_back("blocks per multiprocessor",
                           fmt::format("{:.3g} of the whole grid", *launch->blocksPerMultiprocessor));
    }
    if (launch->occupancy) {
        lines.emplace_back("theoretical occupancy", occupancyText(*launch->occupancy));
    }
    if (launch->row.estimatedOccupancyPercent) {
        lines.emplace_back("estimated occupancy", fmt::format("{} %, as the PyTorch profiler estimates it",
                                                              *launch->row.estimatedOccupancyPercent));
    }
}

} // namespace ringside::timeline
