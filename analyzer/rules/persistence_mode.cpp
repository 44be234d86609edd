// SPDX-License-Identifier: Apache-2.0
// Persistence mode is off: the driver lets go of a GPU that nobody uses, and each job begins with waking it
// up, with clocks and limits as they are by default. It costs no step.
#include "rules/shared/device_samples.h"

namespace ringside::rules::rule_persistence_mode {
namespace {

Outcome run(const Context& context)
{
    Finding finding;
    bool known = false;
    for (const model::Rank& rank : context.run.ranks) {
        const auto modes = gpuSamples(context, rank, "persistence_mode");
        known = known || !modes.empty();
        if (!modes.empty() && modes.back().value == 0) {
            finding.ranks.push_back(rank.rank);
            finding.evidence.push_back(evidence(rank, modes, "when it was asked"));
        }
    }
    if (!known) {
        return NotApplicable{"needs the GPUs' persistence mode (tier sampled, source nvml): the coverage "
                             "says why there is none"};
    }
    if (finding.ranks.empty()) {
        return std::vector<Finding>();
    }
    finding.severity = Severity::Info;
    finding.limit = Limit::Settings;
    finding.title = fmt::format("Persistence mode is off on the GPUs of {} of {} ranks", finding.ranks.size(),
                                context.run.ranks.size());
    finding.figures = {{"gpus", Unit::Count, static_cast<double>(finding.ranks.size()), {}}};
    finding.settings = {"persistence_mode"};
    finding.advice = "Run nvidia-persistenced on the hosts (`systemctl enable --now nvidia-persistenced`): "
                     "jobs start seconds earlier, and what was set by `nvidia-smi` (power limit, clocks) "
                     "stays between them.";
    return std::vector<Finding>{std::move(finding)};
}

} // namespace

RINGSIDE_RULE(persistence_mode, .title = "GPUs are let go of between jobs", .needs = "sampled (nvml)",
              .options = {}, .run = run,
              .help = "Persistence mode of each rank's GPU, asked once at the begin of the run. Only "
                      "information: it delays the start, no step.");

} // namespace ringside::rules::rule_persistence_mode
