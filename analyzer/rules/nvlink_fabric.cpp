// SPDX-License-Identifier: Apache-2.0
// A GPU of a machine with NVSwitches did not join their fabric: the fabric manager lets it in, and without it
// CUDA does not start, or data between GPUs goes over PCIe at a tenth of the rate.
#include "rules/shared/device_samples.h"

namespace ringside::rules::rule_nvlink_fabric {
namespace {

constexpr std::int64_t kNotStarted = 1; // NVML's numbers
constexpr std::int64_t kInProgress = 2;
constexpr std::int64_t kJoined = 3;

/// Empty: nothing to say.
std::string troubleOf(std::int64_t state, std::int64_t status)
{
    return state == kNotStarted   ? "has not begun to join the fabric of its NVSwitches"
           : state == kInProgress ? "was still joining the fabric of its NVSwitches"
           : state == kJoined && status != 0
               ? fmt::format("could not join the fabric of its NVSwitches: NVML "
                             "error {}",
                             status)
               : std::string();
}

Finding describe(const model::Rank& rank, const std::vector<metrics::SampleValue>& states,
                 const std::string& trouble)
{
    Finding finding;
    finding.severity = Severity::Problem;
    finding.limit = Limit::Link;
    finding.ranks = {rank.rank};
    finding.title = fmt::format("The GPU of rank {} {}", rank.rank, trouble);
    finding.figures = {{"fabric_state", Unit::Count, static_cast<double>(states.back().value),
                        static_cast<double>(kJoined)}};
    finding.evidence = {evidence(rank, states, "when it was asked")};
    finding.advice =
        "Look at `systemctl status nvidia-fabricmanager` and its log on that host (its version must be the "
        "driver's), at `nvidia-smi -q` under Fabric, and on NVLink 5 at the subnet manager (nvlsm). Until "
        "then its NVLinks carry nothing.";
    return finding;
}

Outcome run(const Context& context)
{
    std::vector<Finding> findings;
    bool known = false;
    for (const model::Rank& rank : context.run.ranks) {
        const auto states = gpuSamples(context, rank, "fabric_state");
        const auto status = gpuSamples(context, rank, "fabric_status");
        if (states.empty()) {
            continue;
        }
        known = true;
        const std::string trouble = troubleOf(states.back().value, status.empty() ? 0 : status.back().value);
        if (!trouble.empty()) {
            findings.push_back(describe(rank, states, trouble));
        }
    }
    if (!known) {
        return NotApplicable{"needs the state of the NVLink fabric (tier sampled, source nvml): these GPUs "
                             "have no NVSwitch, or their driver does not tell"};
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(nvlink_fabric, .title = "A GPU is not in the NVLink fabric", .needs = "sampled (nvml)",
              .options = {}, .run = run,
              .help = "Whether the fabric manager let the GPU into the fabric of NVSwitches, asked once at "
                      "the begin of the run. Machines without NVSwitches have no such state.",
              .judgesLinks = true);

} // namespace ringside::rules::rule_nvlink_fabric
