// SPDX-License-Identifier: Apache-2.0
// Finds GPUs without persistence mode: the driver deinitializes an unused GPU, so each job starts with
// initializing it, with default clocks and limits. It costs no step time.
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
            finding.evidence.push_back(evidence(rank, modes, "when it was queried"));
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
    finding.advice =
        "Run nvidia-persistenced on the hosts (`systemctl enable --now nvidia-persistenced`): jobs start "
        "seconds earlier, and settings made by `nvidia-smi` (power limit, clocks) persist between jobs.";
    return std::vector<Finding>{std::move(finding)};
}

} // namespace

RINGSIDE_RULE(persistence_mode, .title = "GPUs are deinitialized between jobs", .needs = "sampled (nvml)",
              .options = {}, .run = run,
              .help = "Persistence mode of each rank's GPU, queried once at the start of the run. It is only "
                      "information: it delays the start of a job, not its steps.");

} // namespace ringside::rules::rule_persistence_mode
