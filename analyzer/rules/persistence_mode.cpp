// SPDX-License-Identifier: Apache-2.0
// Finds GPUs without persistence mode: the driver deinitializes an unused GPU, so each job starts with
// initializing it, with default clocks and limits. It costs no step time.
#include "words/persistence_mode.h"

#include "rules/shared/device_samples.h"
#include "words/span.h"

namespace ringside::rules::rule_persistence_mode {
namespace {

namespace text = words::persistence_mode;

Outcome run(const Context& context)
{
    Finding finding;
    bool known = false;
    for (const model::Rank& rank : context.run.ranks) {
        const auto modes = gpuSamples(context, rank, "persistence_mode");
        known = known || !modes.empty();
        if (!modes.empty() && modes.back().value == 0) {
            finding.ranks.push_back(rank.rank);
            finding.evidence.push_back(evidence(rank, modes, words::span::queried));
        }
    }
    if (!known) {
        return NotApplicable{text::not_measured};
    }
    if (finding.ranks.empty()) {
        return std::vector<Finding>();
    }
    finding.severity = Severity::Info;
    finding.limit = Limit::Settings;
    finding.title = say(text::title, {{"off", finding.ranks.size()}, {"ranks", context.run.ranks.size()}});
    finding.figures = {{"gpus", Unit::Count, static_cast<double>(finding.ranks.size()), {}}};
    finding.settings = {"persistence_mode"};
    finding.advice = text::remedy;
    return std::vector<Finding>{std::move(finding)};
}

} // namespace

RINGSIDE_RULE(persistence_mode, .title = text::heading, .needs = "sampled (nvml)", .options = {}, .run = run,
              .help = text::help);

} // namespace ringside::rules::rule_persistence_mode
