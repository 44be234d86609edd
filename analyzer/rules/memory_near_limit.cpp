// SPDX-License-Identifier: Apache-2.0
// Device memory is nearly full. The next longer batch may not fit, and an allocator that finds no room frees
// its cache and waits for the GPU to do so.
#include "rules/device_samples.h"

namespace ringside::rules {
namespace {

constexpr Option kOptions[] = {
    {"part", 0.95, "warn when more than this part of the device's memory is used at some time"},
};

std::optional<std::int64_t> memoryOf(const Context& context, const model::Rank& rank)
{
    const std::string gpu = metrics::gpuName(context.run, rank);
    for (const trace::DeviceRow& row : context.run.processOf(rank).devices) {
        if (gpu == "gpu" + std::to_string(row.ordinal) && row.memoryBytes.value_or(0) > 0) {
            return row.memoryBytes;
        }
    }
    return std::nullopt;
}

/// Allocations that the device refused.
std::int64_t refusals(const trace::ProcessTrace& process)
{
    constexpr std::int32_t kOutOfMemory = 2; // cudaErrorMemoryAllocation
    std::int64_t count = 0;
    for (std::size_t i = 0; i < process.apiCalls.size(); ++i) {
        count += process.apiCalls.result[i] == kOutOfMemory ? 1 : 0;
    }
    return count;
}

Outcome run(const Context& context)
{
    Finding finding;
    double most = 0;
    std::int64_t refused = 0;
    bool known = false;
    for (const model::Rank& rank : context.run.ranks) {
        const auto samples = gpuSamples(context, rank, "memory_used_bytes");
        const std::optional<std::int64_t> memory = memoryOf(context, rank);
        if (samples.empty() || !memory) {
            continue;
        }
        known = true;
        std::int64_t used = 0;
        for (const metrics::SampleValue& sample : samples) {
            used = std::max(used, sample.value);
        }
        const double part = static_cast<double>(used) / static_cast<double>(*memory);
        if (part > context.option("part")) {
            most = std::max(most, part);
            refused += refusals(context.run.processOf(rank));
            finding.ranks.push_back(rank.rank);
            finding.evidence.push_back(
                evidence(rank, samples,
                         fmt::format("at most {} of {} used", byteText(static_cast<double>(used)),
                                     byteText(static_cast<double>(*memory)))));
        }
    }
    if (!known) {
        return kNeedsNvml;
    }
    if (finding.ranks.empty()) {
        return std::vector<Finding>{};
    }
    finding.severity = refused > 0 ? Severity::Warning : Severity::Info;
    finding.limit = Limit::Memory;
    finding.cause = refused > 0;
    finding.title = fmt::format("Up to {} of the GPU's memory is in use{}", percent(most),
                                refused > 0 ? fmt::format(", and {} allocations were refused", refused) : "");
    finding.settings = {"PYTORCH_CUDA_ALLOC_CONF"};
    finding.figures = {{"memory_part", Unit::Share, most, context.option("part")},
                       {"refused_allocations", Unit::Count, static_cast<double>(refused), {}}};
    finding.advice =
        "A caching allocator keeps what it once had, so this alone costs nothing. Where "
        "allocations fail or are retried, try `expandable_segments:True` in "
        "PYTORCH_CUDA_ALLOC_CONF, `gradient_as_bucket_view=True`, activation checkpointing, or a "
        "smaller batch; see allocation_churn.";
    return std::vector<Finding>{finding};
}

} // namespace
} // namespace ringside::rules

RINGSIDE_RULE(memory_near_limit, .title = "Device memory is nearly full", .needs = "sampled (nvml)",
              .options = ringside::rules::kOptions, .run = ringside::rules::run,
              .help = "Largest sampled use over the device's memory, and calls that returned out of memory. "
                      "The cost is not estimated: see allocation_churn for what retries cost.");
