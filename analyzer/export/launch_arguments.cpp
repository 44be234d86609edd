// SPDX-License-Identifier: Apache-2.0
#include "export/launch_arguments.h"

#include "model/launch_configuration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ringside::exporting {
namespace {

std::string argumentsOf(const model::KernelLaunch& launch)
{
    std::string text;
    const auto add = [&](std::string_view key, const std::string& value) {
        text += fmt::format("{}\"{}\":{}", text.empty() ? '{' : ',', key, value);
    };
    const auto addNumber = [&](std::string_view key, const std::optional<std::int64_t>& value) {
        if (value) {
            add(key, fmt::to_string(*value));
        }
    };
    if (launch.grid) {
        add("grid", fmt::format("[{}]", fmt::join(*launch.grid, ",")));
    }
    if (launch.block) {
        add("block", fmt::format("[{}]", fmt::join(*launch.block, ",")));
    }
    addNumber("registers per thread", launch.row.registersPerThread);
    addNumber("shared memory", launch.row.sharedBytes);
    addNumber("static shared memory", launch.row.staticSharedBytes);
    addNumber("dynamic shared memory", launch.row.dynamicSharedBytes);
    if (launch.blocksPerMultiprocessor) {
        add("blocks per SM", fmt::format("{:.6g}", *launch.blocksPerMultiprocessor));
    }
    if (launch.occupancy) {
        add("theoretical occupancy %", fmt::format("{:.6g}", launch.occupancy->percent()));
    }
    addNumber("est. achieved occupancy %", launch.row.estimatedOccupancyPercent);
    return text.empty() ? text : text + "}";
}

} // namespace

std::string_view LaunchArguments::of(std::size_t kernel)
{
    const std::uint32_t id = m_process.kernels.configuration[kernel];
    if (id == 0) {
        return {};
    }
    const auto [entry, fresh] = m_texts.try_emplace({id, m_process.kernels.device[kernel]});
    if (fresh) {
        const auto launch = model::launchConfigurationOf(m_process, kernel);
        entry->second = launch ? argumentsOf(*launch) : std::string();
    }
    return entry->second;
}

} // namespace ringside::exporting
