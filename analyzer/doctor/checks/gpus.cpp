// SPDX-License-Identifier: Apache-2.0
// Configuration and health of GPUs before a run: what ends runs, what slows them down, and what delays their
// start.
#include "doctor/check.h"

#include <fmt/format.h>

namespace ringside::doctor::check_gpus {
namespace {

using rules::Severity;

void fabric(const Facts& facts, const std::string& gpu, std::vector<Advice>& all)
{
    const std::string_view state = facts.text("gpu." + gpu + ".fabric_state");
    const std::string_view status = facts.text("gpu." + gpu + ".fabric_status");
    if (state.empty() || (state == "Completed" && (status.empty() || status == "Success"))) {
        return;
    }
    all.push_back({{},
                   Severity::Problem,
                   fmt::format("The GPU at {} is not in the NVLink fabric (state {}{}{})", gpu, state,
                               status.empty() ? "" : ", status ", status),
                   "CUDA does not start on it, or its NVLinks carry nothing. The fabric manager must run, in "
                   "the driver's version.",
                   "systemctl status nvidia-fabricmanager"});
}

void memory(const Facts& facts, const std::string& gpu, std::vector<Advice>& all)
{
    const std::string fact = "gpu." + gpu + ".";
    if (const auto errors = facts.number(fact + "ecc_uncorrected"); errors && *errors > 0) {
        all.push_back(
            {{},
             Severity::Problem,
             fmt::format("The GPU at {} has had {} uncorrected memory errors since it was reset", gpu,
                         *errors),
             "Results may be wrong, and the next one ends the run. Reset it, and have it replaced if "
             "they come back.",
             "sudo nvidia-smi -r"});
    }
    if (facts.text(fact + "row_remap_failed") == "Yes") {
        all.push_back(
            {{},
             Severity::Problem,
             fmt::format("The GPU at {} could not replace a faulty memory row: it has no spare row left",
                         gpu),
             "Have the GPU replaced: uncorrected errors end runs.",
             "nvidia-smi -q -d ROW_REMAPPER"});
    } else if (facts.text(fact + "row_remap_pending") == "Yes" ||
               facts.text(fact + "page_retirement_pending") == "Yes") {
        all.push_back(
            {{},
             Severity::Warning,
             fmt::format("The GPU at {} waits for a reset to take faulty memory out of service", gpu),
             "Reset it before the run.",
             "sudo nvidia-smi -r"});
    }
}

void slowdowns(const Facts& facts, const std::string& gpu, std::vector<Advice>& all)
{
    const std::string_view active = facts.text("gpu." + gpu + ".slowdowns");
    if (!active.empty() && active != "none") {
        all.push_back({{},
                       Severity::Warning,
                       fmt::format("The GPU at {} is slowed down by its hardware now ({})", gpu, active),
                       "Check its cooling and power before the run: the slowest rank slows down all ranks.",
                       "nvidia-smi -q -d PERFORMANCE,TEMPERATURE,POWER"});
    }
}

std::vector<Advice> run(const Facts& facts, const Need&)
{
    std::vector<Advice> all;
    std::size_t notPersistent = 0;
    std::size_t known = 0;
    for (const std::string& gpu : facts.namesAfter("gpu.")) {
        fabric(facts, gpu, all);
        memory(facts, gpu, all);
        slowdowns(facts, gpu, all);
        const std::string_view mode = facts.text("gpu." + gpu + ".persistence_mode");
        known += mode.empty() ? 0 : 1;
        notPersistent += mode == "Disabled" ? 1 : 0;
    }
    if (notPersistent > 0) {
        all.push_back({{},
                       Severity::Info,
                       fmt::format("Persistence mode is off on {} of {} GPUs", notPersistent, known),
                       "The driver shuts down an unused GPU: jobs start seconds later, and what "
                       "`nvidia-smi` set (power limit, clocks) is lost between them.",
                       "sudo systemctl enable --now nvidia-persistenced"});
    }
    return all;
}

} // namespace

RINGSIDE_CHECK(gpus, .title = "GPUs", .run = run);

} // namespace ringside::doctor::check_gpus
