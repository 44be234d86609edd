// SPDX-License-Identifier: Apache-2.0
#include "result.h"

#include "result_file.h"
#include "statistics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

namespace ringside::trainer {
namespace {

/// Why a figure is missing; empty if it is not.
struct Missing {
    std::string times;
    std::string learning;
    std::string accuracy;
    std::string lossScale;
};

Missing missing(const TrainingResult& result, const Options& options)
{
    Missing missing;
    if (result.stepMs.empty())
        missing.times = fmt::format("all {} steps are warm-up (--warmup {})", options.steps, options.warmup);
    // Untrained weights never have a cross entropy of exactly 0.
    if (result.losses.front() == 0)
        missing.learning = "the device model skips the arithmetic (compute = skip)";
    missing.accuracy = result.accuracy ? missing.learning : "no held-out samples (--eval 0)";
    missing.lossScale = result.lossScale ? missing.learning : "only --precision fp16 scales the loss";
    return missing;
}

double samplesPerSecond(const TrainingResult& result, unsigned batch)
{
    const double ms = std::accumulate(result.stepMs.begin(), result.stepMs.end(), 0.0);
    return 1000.0 * batch * static_cast<double>(result.stepMs.size()) / ms;
}

double epochSeconds(const TrainingResult& result, const Options& options)
{
    return static_cast<double>(options.samples) / samplesPerSecond(result, options.batch);
}

nlohmann::json stepTimes(const TrainingResult& result)
{
    nlohmann::json times;
    for (const auto& [name, fraction] :
         {std::pair("p50", 0.5), std::pair("p90", 0.9), std::pair("p99", 0.99)})
        times[name] = percentile(result.stepMs, fraction).value();
    return times;
}

std::string keyOf(std::string use)
{
    std::ranges::replace(use, ' ', '_');
    return use + "_bytes";
}

/// Memory of rank 0's device, and the extremes over all devices.
nlohmann::json memoryJson(const TrainingMemory& memory)
{
    nlohmann::json json = {{"counted", "what the trainer itself allocates"},
                           {"peak_bytes", memory.ofFirst.total},
                           {"peak_bytes_least", memory.least},
                           {"peak_bytes_most", memory.most}};
    for (std::size_t use = 0; use < kMemoryUses.size(); ++use)
        json[keyOf(kMemoryUses[use])] = memory.ofFirst.byUse[use];
    return json;
}

nlohmann::json toJson(const TrainingResult& result, const Options& options, unsigned worldSize)
{
    nlohmann::json json = {
        {"device", result.device},
        {"model", options.model},
        {"optimizer", options.optimizer},
        {"parallel", options.parallel},
        {"precision", options.precision},
        {"gradients", options.gradients},
        {"world_size", worldSize},
        {"devices", devicesInAll(options, worldSize)},
        {"steps", options.steps},
        {"batch", options.batch},
        {"parameters", result.parameters.size()},
        {"parameters_sum", std::accumulate(result.parameters.begin(), result.parameters.end(), 0.0)},
        {"bucket_bytes", result.bucketBytes},
        {"memory", memoryJson(result.memory)},
        {"not_measured", nlohmann::json::object()}};
    const auto add = [&](const char* name, const std::string& missing, const auto& value) {
        json[name] = missing.empty() ? nlohmann::json(value()) : nlohmann::json();
        if (!missing.empty())
            json["not_measured"][name] = missing;
    };
    const Missing absent = missing(result, options);
    add("losses", absent.learning, [&] { return result.losses; });
    add("accuracy", absent.accuracy, [&] { return *result.accuracy; });
    add("loss_scaling", absent.lossScale, [&] {
        return nlohmann::json{{"scale", result.lossScale->value()},
                              {"skipped_steps", result.lossScale->skipped()}};
    });
    add("samples_per_s", absent.times, [&] { return samplesPerSecond(result, options.batch); });
    add("epoch_s", absent.times, [&] { return epochSeconds(result, options); });
    add("step_ms", absent.times, [&] { return stepTimes(result); });
    return json;
}

void printTimes(const TrainingResult& result, const Options& options, const std::string& absent)
{
    if (!absent.empty()) {
        fmt::print("samples/s   not measured: {}\nstep time   not measured: {}\n", absent, absent);
        return;
    }
    fmt::print("samples/s   {:.0f}, an epoch of {} in {:.1f} s\n", samplesPerSecond(result, options.batch),
               options.samples, epochSeconds(result, options));
    fmt::print("step time   p50 {:.2f} ms, p90 {:.2f} ms, p99 {:.2f} ms over {} step{}\n",
               percentile(result.stepMs, 0.5).value(), percentile(result.stepMs, 0.9).value(),
               percentile(result.stepMs, 0.99).value(), result.stepMs.size(),
               result.stepMs.size() == 1 ? "" : "s");
}

void printMemory(const TrainingMemory& memory)
{
    const auto mebibytes = [](std::size_t bytes) { return static_cast<double>(bytes) / (1U << 20U); };
    std::vector<std::string> parts;
    for (std::size_t use = 0; use < kMemoryUses.size(); ++use)
        parts.push_back(fmt::format("{} {:.2f}", kMemoryUses[use], mebibytes(memory.ofFirst.byUse[use])));
    fmt::print(
        "memory      peak {:.2f} MiB on the first device, {:.2f} to {:.2f} over all; counted is what the "
        "trainer itself "
        "allocates: {}\n",
        mebibytes(memory.ofFirst.total), mebibytes(memory.least), mebibytes(memory.most),
        fmt::join(parts, ", "));
}

void printLearning(const TrainingResult& result, const Options& options, const Missing& absent)
{
    if (!absent.learning.empty()) {
        fmt::print("loss        not measured: {}\n", absent.learning);
        return;
    }
    fmt::print("loss        {:.4f} at first, {:.4f} at last (rank 0's share)\n", result.losses.front(),
               result.losses.back());
    if (result.lossScale)
        fmt::print("loss scale  {:g}, {} of {} steps skipped\n", result.lossScale->value(),
                   result.lossScale->skipped(), options.steps);
    if (result.accuracy)
        fmt::print("accuracy    {:.1f} % of {} held-out digits\n", 100 * *result.accuracy, options.eval);
}

} // namespace

void reportResult(const TrainingResult& result, const Options& options, unsigned worldSize)
{
    const Missing absent = missing(result, options);
    fmt::print("device      {}\n", result.device);
    printTimes(result, options, absent.times);
    printMemory(result.memory);
    printLearning(result, options, absent);
    if (!options.jsonPath.empty())
        writeFile(options.jsonPath, toJson(result, options, worldSize).dump(2) + "\n");
    if (!options.parametersPath.empty())
        writeFile(options.parametersPath, {reinterpret_cast<const char*>(result.parameters.data()),
                                           result.parameters.size() * sizeof(float)});
}

} // namespace ringside::trainer
