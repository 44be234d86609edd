// SPDX-License-Identifier: Apache-2.0
// GPUs as JSON: members of the commands' outputs, and what a child process hands to its parent.
#include "attach/gpu_json.h"

namespace ringside::attach {
namespace {

template <class Value>
void readInto(Value& value, const Json& object, const char* name)
{
    if (const auto found = object.find(name); found != object.end() && !found->is_null()) {
        value = found->get<typename Value::value_type>();
    }
}

Gpu gpuFrom(const Json& object)
{
    Gpu gpu;
    gpu.index = object.at("index").get<std::int64_t>();
    gpu.name = object.at("name").get<std::string>();
    gpu.busId = object.at("bus_id").get<std::string>();
    gpu.error = object.at("error").is_null() ? "" : object.at("error").get<std::string>();
    readInto(gpu.utilizationPercent, object, "utilization_percent");
    readInto(gpu.memoryUsedBytes, object, "memory_used_bytes");
    readInto(gpu.memoryTotalBytes, object, "memory_total_bytes");
    readInto(gpu.smClockMhz, object, "sm_clock_mhz");
    readInto(gpu.largestSmClockMhz, object, "largest_sm_clock_mhz");
    readInto(gpu.powerMilliwatts, object, "power_mw");
    readInto(gpu.temperatureCelsius, object, "temperature_c");
    readInto(gpu.clockReasons, object, "clock_reasons");
    if (const Json& processes = object.at("processes"); !processes.is_null()) {
        gpu.processes.emplace();
        for (const Json& each : processes) {
            GpuProcess& process = gpu.processes->emplace_back();
            process.pid = each.at("pid").get<std::int64_t>();
            readInto(process.memoryBytes, each, "memory_bytes");
        }
    }
    return gpu;
}

} // namespace

Json toJson(const Gpu& gpu)
{
    Json processes = nullptr;
    if (gpu.processes) {
        processes = Json::array();
        for (const GpuProcess& process : *gpu.processes) {
            processes.push_back({{"pid", process.pid}, {"memory_bytes", orNull(process.memoryBytes)}});
        }
    }
    const std::string wrong = wrongWith(gpu);
    return {{"index", gpu.index},
            {"name", gpu.name},
            {"bus_id", gpu.busId},
            {"error", gpu.error.empty() ? Json(nullptr) : Json(gpu.error)},
            {"wrong", wrong.empty() ? Json(nullptr) : Json(wrong)},
            {"utilization_percent", orNull(gpu.utilizationPercent)},
            {"memory_used_bytes", orNull(gpu.memoryUsedBytes)},
            {"memory_total_bytes", orNull(gpu.memoryTotalBytes)},
            {"sm_clock_mhz", orNull(gpu.smClockMhz)},
            {"largest_sm_clock_mhz", orNull(gpu.largestSmClockMhz)},
            {"power_mw", orNull(gpu.powerMilliwatts)},
            {"temperature_c", orNull(gpu.temperatureCelsius)},
            {"clock_reasons", orNull(gpu.clockReasons)},
            {"processes", std::move(processes)}};
}

Json toJson(const Gpus& gpus)
{
    Json list = Json::array();
    for (const Gpu& gpu : gpus.gpus) {
        list.push_back(toJson(gpu));
    }
    return {{"list", std::move(list)}, {"reason", gpus.reason.empty() ? Json(nullptr) : Json(gpus.reason)}};
}

std::string formatGpus(const Gpus& gpus)
{
    return toJson(gpus).dump(-1, ' ', false, Json::error_handler_t::replace);
}

Gpus parseGpus(std::string_view text)
{
    Gpus gpus;
    try {
        const Json json = Json::parse(text);
        for (const Json& gpu : json.at("list")) {
            gpus.gpus.push_back(gpuFrom(gpu));
        }
        gpus.reason = json.at("reason").is_null() ? "" : json.at("reason").get<std::string>();
    } catch (const Json::exception&) {
        gpus = {};
        gpus.reason = "NVML gave no answer that can be read";
    }
    return gpus;
}

} // namespace ringside::attach
