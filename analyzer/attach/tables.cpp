// SPDX-License-Identifier: Apache-2.0
#include "attach/tables.h"

#include "document/table.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::attach {
namespace {

using document::Cell;
using document::NumberStyle;

Cell number(const std::optional<std::int64_t>& value, double divisor = 1)
{
    const auto real = value ? std::optional(static_cast<double>(*value)) : std::nullopt;
    return {real, values::Unit::Count, NumberStyle{.divisor = divisor}};
}

Cell bytes(const std::optional<std::int64_t>& value)
{
    return document::sizeCell(value ? std::optional(static_cast<double>(*value)) : std::nullopt);
}

} // namespace

std::string gpuText(const Gpus& gpus)
{
    if (gpus.gpus.empty()) {
        return fmt::format("GPUs: not known: {}\n", gpus.reason.empty() ? "NVML lists none" : gpus.reason);
    }
    document::Table table;
    table.header = {"GPU", "name", "busy %", "memory", "of", "SM MHz", "max MHz", "W", "deg C", "processes"};
    std::string wrong;
    for (const Gpu& gpu : gpus.gpus) {
        table.rows.push_back({gpu.index, gpu.name, number(gpu.utilizationPercent), bytes(gpu.memoryUsedBytes),
                              bytes(gpu.memoryTotalBytes), number(gpu.smClockMhz),
                              number(gpu.largestSmClockMhz), number(gpu.powerMilliwatts, 1000),
                              number(gpu.temperatureCelsius),
                              gpu.processes ? Cell(gpu.processes->size()) : Cell()});
        if (const std::string text = wrongWith(gpu); !text.empty()) {
            wrong += fmt::format("GPU {}: {}\n", gpu.index, text);
        }
    }
    return document::plainTable(table, "") + wrong;
}

std::string gpusOf(const Gpus& gpus, pid_t pid)
{
    std::string text;
    for (const Gpu& gpu : gpus.gpus) {
        if (gpu.processes &&
            std::ranges::find(*gpu.processes, pid, &GpuProcess::pid) != gpu.processes->end()) {
            text += fmt::format("{}{}", text.empty() ? "" : ", ", gpu.index);
        }
    }
    return text.empty() ? "-" : text;
}

} // namespace ringside::attach
