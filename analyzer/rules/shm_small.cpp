// SPDX-License-Identifier: Apache-2.0
// Finds a /dev/shm that is too small. Data loader workers pass batches through it, NCCL uses it between ranks
// of a host, and the recorder keeps its rings in it. Containers start with 64 MiB.
#include "words/shm_small.h"

#include "rules/shared/settings.h"
#include "words/span.h"

namespace ringside::rules::rule_shm_small {
namespace {

namespace text = words::shm_small;

constexpr Option kOptions[] = {
    {"min_bytes", 1073741824, "warn below this size (NCCL's guide to containers: `--shm-size=1g`)"},
};

Outcome run(const Context& context)
{
    Finding finding;
    bool known = false;
    double smallest = 0;
    std::optional<std::int64_t> available;
    for (const model::Rank& rank : context.run.ranks) {
        const trace::ProcessTrace& process = context.run.processOf(rank);
        const auto bytes =
            values::parseNumber<std::int64_t>(settingOf(process, {"machine", "shm_bytes"}).value_or(""));
        known = known || bytes;
        if (!bytes || static_cast<double>(*bytes) >= context.option("min_bytes")) {
            continue;
        }
        if (finding.ranks.empty() || static_cast<double>(*bytes) < smallest) {
            smallest = static_cast<double>(*bytes);
            available = values::parseNumber<std::int64_t>(
                settingOf(process, {"machine", "shm_available_bytes"}).value_or(""));
        }
        finding.ranks.push_back(rank.rank);
        finding.evidence.push_back(
            evidence(rank, {process.process.startNs, process.process.endNs.value_or(process.process.startNs)},
                     words::span::rank_run));
    }
    if (!known) {
        return NotApplicable{text::not_measured};
    }
    if (finding.ranks.empty()) {
        return std::vector<Finding>{};
    }
    finding.severity = Severity::Warning;
    finding.limit = Limit::Settings;
    finding.cause = false;
    finding.title = say(text::title, {{"size", smallest}});
    finding.settings = {"--shm-size"};
    finding.figures = {{"shm_bytes", Unit::Bytes, smallest, context.option("min_bytes")}};
    if (available) {
        const auto bytes = static_cast<double>(*available);
        finding.title += say(text::available, {{"available", bytes}});
        finding.figures.push_back({"shm_available_bytes", Unit::Bytes, bytes, {}});
    }
    finding.advice = text::remedy;
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(shm_small, .title = text::heading, .needs = "host", .options = kOptions, .run = run,
              .help = text::help);

} // namespace ringside::rules::rule_shm_small
