// SPDX-License-Identifier: Apache-2.0
#include "result.h"

#include "statistics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

namespace ringside::trainer {
namespace {

void writeFile(const std::string& path, std::string_view bytes)
{
    std::ofstream file(path, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file)
        throw Failure(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

double samplesPerSecond(const TrainingResult& result, unsigned batch)
{
    const double ms = std::accumulate(result.stepMs.begin(), result.stepMs.end(), 0.0);
    return ms > 0 ? 1000.0 * batch * static_cast<double>(result.stepMs.size()) / ms : 0;
}

/// A cross entropy of exactly 0 does not come from untrained weights: the device model left the arithmetic
/// out.
bool learned(const TrainingResult& result)
{
    return result.losses.front() != 0;
}

nlohmann::json toJson(const TrainingResult& result, const Options& options, unsigned worldSize)
{
    const double sum = std::accumulate(result.parameters.begin(), result.parameters.end(), 0.0);
    return {{"world_size", worldSize},
            {"steps", options.steps},
            {"batch", options.batch},
            {"parameters", result.parameters.size()},
            {"parameters_sum", sum},
            {"bucket_bytes", result.bucketBytes},
            {"losses", learned(result) ? nlohmann::json(result.losses) : nlohmann::json()},
            {"accuracy",
             learned(result) && result.accuracy ? nlohmann::json(*result.accuracy) : nlohmann::json()},
            {"samples_per_s", samplesPerSecond(result, options.batch)},
            {"step_ms",
             {{"p50", percentile(result.stepMs, 0.5)},
              {"p90", percentile(result.stepMs, 0.9)},
              {"p99", percentile(result.stepMs, 0.99)}}}};
}

void printLearning(const TrainingResult& result, const Options& options)
{
    if (!learned(result)) {
        fmt::print("loss        not measured: the device model skips the arithmetic (compute = skip)\n");
        return;
    }
    fmt::print("loss        {:.4f} at first, {:.4f} at last (rank 0's share)\n", result.losses.front(),
               result.losses.back());
    if (result.accuracy)
        fmt::print("accuracy    {:.1f} % of {} held-out digits\n", 100 * *result.accuracy, options.eval);
}

} // namespace

void reportResult(const TrainingResult& result, const Options& options, unsigned worldSize)
{
    fmt::print("samples/s   {:.0f}\n", samplesPerSecond(result, options.batch));
    fmt::print("step time   p50 {:.2f} ms, p90 {:.2f} ms, p99 {:.2f} ms over {} steps\n",
               percentile(result.stepMs, 0.5), percentile(result.stepMs, 0.9),
               percentile(result.stepMs, 0.99), result.stepMs.size());
    printLearning(result, options);
    if (!options.jsonPath.empty())
        writeFile(options.jsonPath, toJson(result, options, worldSize).dump(2) + "\n");
    if (!options.parametersPath.empty())
        writeFile(options.parametersPath, {reinterpret_cast<const char*>(result.parameters.data()),
                                           result.parameters.size() * sizeof(float)});
}

} // namespace ringside::trainer
