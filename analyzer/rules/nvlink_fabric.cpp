// SPDX-License-Identifier: Apache-2.0
// Finds GPUs of machines with NVSwitches that did not join the fabric, which the fabric manager controls.
// Without it CUDA does not start, or data between GPUs goes over PCIe at a tenth of the rate.
#include "words/nvlink_fabric.h"

#include "rules/shared/device_samples.h"
#include "words/span.h"

namespace ringside::rules::rule_nvlink_fabric {
namespace {

namespace text = words::nvlink_fabric;

constexpr std::int64_t kNotStarted = 1; // NVML's fabric states
constexpr std::int64_t kInProgress = 2;
constexpr std::int64_t kJoined = 3;

/// Returns what is wrong with the state; empty if nothing is.
words::Text troubleOf(std::int64_t state, std::int64_t status)
{
    return state == kNotStarted              ? text::not_started
           : state == kInProgress            ? text::in_progress
           : state == kJoined && status != 0 ? say(text::failed, {{"error", status}})
                                             : words::Text();
}

Finding describe(const model::Rank& rank, const std::vector<metrics::SampleValue>& states,
                 const words::Text& trouble)
{
    Finding finding;
    finding.severity = Severity::Problem;
    finding.limit = Limit::Link;
    finding.ranks = {rank.rank};
    finding.title = say(text::title, {{"rank", rank.rank}, {"trouble", trouble}});
    finding.figures = {{"fabric_state", Unit::Count, static_cast<double>(states.back().value),
                        static_cast<double>(kJoined)}};
    finding.evidence = {evidence(rank, states, words::span::queried)};
    finding.advice = text::remedy;
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
        const words::Text trouble = troubleOf(states.back().value, status.empty() ? 0 : status.back().value);
        if (!trouble.empty()) {
            findings.push_back(describe(rank, states, trouble));
        }
    }
    if (!known) {
        return NotApplicable{text::not_measured};
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(nvlink_fabric, .title = text::heading, .needs = "sampled (nvml)", .options = {}, .run = run,
              .help = text::help, .checksLinks = true);

} // namespace ringside::rules::rule_nvlink_fabric
