// SPDX-License-Identifier: Apache-2.0
// Finds GPUs of machines with NVSwitches that did not join the fabric, which the fabric manager controls.
// Without it CUDA does not start, or data between GPUs goes over PCIe at a tenth of the rate.
#include "rules/shared/device_samples.h"

namespace ringside::rules::rule_nvlink_fabric {
namespace {

constexpr std::int64_t kNotStarted = 1; // NVML's fabric states
constexpr std::int64_t kInProgress = 2;
constexpr std::int64_t kJoined = 3;

/// Returns what is wrong with the state; empty if nothing is.
std::string troubleOf(std::int64_t state, std::int64_t status)
{
    return state == kNotStarted   ? "has not begun to join the fabric of its NVSwitches"
           : state == kInProgress ? "was still joining the fabric of its NVSwitches"
           : state == kJoined && status != 0
               ? fmt::format("could not join the fabric of its NVSwitches: NVML error {}", status)
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
    finding.evidence = {evidence(rank, states, "when it was queried")};
    finding.advice = "Check `systemctl status nvidia-fabricmanager` and its log on that host (its version "
                     "must match the driver's), `nvidia-smi -q` under Fabric, and on NVLink 5 the subnet "
                     "manager (nvlsm). Until the GPU joins, its NVLinks carry no data.";
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
                             "have no NVSwitch, or their driver does not report it"};
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(nvlink_fabric, .title = "A GPU is not in the NVLink fabric", .needs = "sampled (nvml)",
              .options = {}, .run = run,
              .help = "Checks whether each GPU joined the fabric of NVSwitches, queried once at the start of "
                      "the run. Machines without NVSwitches have no such state.",
              .checksLinks = true);

} // namespace ringside::rules::rule_nvlink_fabric
