// SPDX-License-Identifier: Apache-2.0
// NVLink repeated or lost transfers. Each repeat costs little; many tell of a bad link, on which every
// collective through it runs slower.
#include "rules/device_samples.h"

#include <array>

namespace ringside::rules {
namespace {

constexpr Option kOptions[] = {
    {"errors", 1, "repeats, recoveries and checksum errors of all links of a GPU within the run, at least"},
};

struct Counter {
    std::string_view metric;
    bool lost; ///< not only repeated
};
constexpr std::array<Counter, 7> kCounters = {{
    {"nvlink_crc_flit_errors", false},
    {"nvlink_crc_data_errors", false},
    {"nvlink_replays", false},
    {"nvlink_recoveries", false},
    {"nvlink5_recoveries", false},
    {"nvlink5_effective_errors", false},
    {"nvlink5_failed_recoveries", true},
}};

Outcome run(const Context& context)
{
    Finding finding;
    bool known = false;
    bool lost = false;
    double most = 0;
    std::string worst;
    for (const model::Rank& rank : context.run.ranks) {
        double own = 0;
        for (const Counter& counter : kCounters) {
            const auto gain = gpuGain(context, rank, counter.metric);
            known = known || gain;
            own += static_cast<double>(gain.value_or(0));
            if (gain.value_or(0) > 0) {
                lost = lost || counter.lost;
                worst = counter.metric;
                const auto samples = gpuSamples(context, rank, counter.metric);
                finding.evidence.push_back(
                    evidence(rank, samples, fmt::format("{} grew by {}", counter.metric, *gain)));
            }
        }
        if (own > 0 && own >= context.option("errors")) {
            finding.ranks.push_back(rank.rank);
            most = std::max(most, own);
        }
    }
    if (!known) {
        return NotApplicable{"needs samples of NVLink counters (tier sampled, source nvml): this GPU has no "
                             "NVLink, or its driver does not count"};
    }
    if (finding.ranks.empty()) {
        return std::vector<Finding>{};
    }
    finding.severity = lost ? Severity::Problem : Severity::Warning;
    finding.limit = Limit::Link;
    finding.title = fmt::format("NVLink had up to {:.0f} errors on a GPU in this run ({}{})", most, worst,
                                lost ? "; some could not be recovered" : "");
    finding.figures = {{"errors", Unit::Count, most, context.option("errors")}};
    finding.advice =
        "Look at `nvidia-smi nvlink -e` and `-s` on the hosts of the ranks named; reseat or "
        "replace what is counted there, and compare bandwidth with another node (all_reduce_perf "
        "of nccl-tests).";
    return std::vector<Finding>{finding};
}

} // namespace
} // namespace ringside::rules

RINGSIDE_RULE(nvlink_errors, .title = "NVLink errors", .needs = "sampled (nvml)",
              .options = ringside::rules::kOptions, .run = ringside::rules::run,
              .help = "Gains of the GPU's NVLink error counters, all links together, between the first and "
                      "the last sample. The cost is not estimated: see collective_bandwidth_low.",
              .judgesLinks = true);
