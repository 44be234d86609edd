// SPDX-License-Identifier: Apache-2.0
// Finds asynchronous copies between host and device that block the host: memory that is not pinned passes
// through a staging buffer, and the call returns only when that is done.
#include "words/pageable_copy.h"

#include "rules/shared/support.h"
#include "trace/vocabulary/api_name.h"

namespace ringside::rules::rule_pageable_copy {
namespace {

namespace text = words::pageable_copy;

constexpr Option kOptions[] = {
    {"held_part", 0.50, "a copy counts if its call lasts for at least this share of the copy itself"},
    {"min_bytes", 65536, "ignore smaller copies, which CUDA stages from any memory"},
    {"share", 0.01, "warn if such calls block the host for more than this share of the step"},
};

struct Held {
    std::int64_t copies = 0; ///< all asynchronous copies of at least min_bytes
    std::vector<model::Interval>
        calls;           ///< calls that blocked the host; of several threads, so they may overlap
    std::int64_t ns = 0; ///< time in at least one such call
    double bytes = 0;
    model::Interval longest;
};

bool isAsynchronousCopy(std::string_view api)
{
    const std::string name = trace::inCudasWords(api);
    return name.starts_with("cudaMemcpy") && name.find("Async") != std::string::npos;
}

Held heldOf(const Context& context, const metrics::RankMetrics& metrics)
{
    const model::Rank& rank = context.rankOf(metrics);
    const trace::ProcessTrace& process = context.run.processOf(rank);
    const model::LaunchIndex& launches = context.run.launches[rank.process];
    const trace::CopyColumns& copies = process.copies;
    const model::Interval span = analyzedSpan(metrics);
    Held held;
    for (std::size_t i = 0; i < copies.size(); ++i) {
        const model::Interval copy{copies.startNs[i], copies.endNs[i]};
        const bool counts =
            rank.owns(copies.device[i]) && copy.start >= span.start && copy.start < span.end &&
            (copies.kind[i] == trace::kCopyToDevice || copies.kind[i] == trace::kCopyToHost) &&
            static_cast<double>(copies.bytes[i]) >= context.option("min_bytes");
        const auto row = counts ? launches.find(copies.correlation[i]) : std::nullopt;
        if (!row || !isAsynchronousCopy(process.text(process.launches.api[*row]))) {
            continue;
        }
        ++held.copies;
        const model::Interval call{process.launches.startNs[*row], process.launches.endNs[*row]};
        if (copies.hostMemory[i] == trace::kPinnedMemory ||
            static_cast<double>(call.length()) <
                context.option("held_part") * static_cast<double>(copy.length())) {
            continue;
        }
        held.calls.push_back(call);
        held.bytes += static_cast<double>(copies.bytes[i]);
        held.longest = call.length() > held.longest.length() ? call : held.longest;
    }
    held.ns = model::lengthOfUnion(held.calls);
    return held;
}

Outcome run(const Context& context)
{
    Finding finding;
    double worst = 0;
    double bytes = 0;
    std::int64_t seen = 0;
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        const Held held = heldOf(context, rank);
        seen += held.copies;
        if (held.calls.empty() || rank.total.share(held.ns) <= context.option("share")) {
            continue;
        }
        worst = std::max(worst, rank.total.share(held.ns));
        bytes = std::max(bytes, held.bytes / rank.periods);
        const std::int64_t cost = ofAStep(context, rank, std::min(held.ns, rank.total.idleNs));
        finding.costNsPerStep = std::max(finding.costNsPerStep.value_or(0), cost);
        finding.ranks.push_back(context.rankOf(rank).rank);
        finding.evidence.push_back(evidence(context.rankOf(rank), held.longest, text::waited));
    }
    if (seen == 0) {
        return NotApplicable{say(text::no_copy, {{"least", context.option("min_bytes")}})};
    }
    if (finding.ranks.empty()) {
        return std::vector<Finding>{};
    }
    finding.severity = severityByCost(context, *finding.costNsPerStep);
    finding.limit = Limit::Copy;
    finding.title = say(text::title, {{"bytes", bytes}, {"share", worst}});
    finding.settings = {"pin_memory", "non_blocking"};
    finding.figures = {{"held_share", Unit::Share, worst, context.option("share")},
                       {"bytes", Unit::Bytes, bytes, {}, PerPeriod::Yes}};
    finding.advice = text::remedy;
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(pageable_copy, .title = text::heading, .needs = {{"device"}}, .options = kOptions, .run = run,
              .needsDevice = true, .help = text::help, .inferenceAdvice = text::inference,
              .partOf = {"gpu_utilization_low", "data_loading_stall", "host_bound"});

} // namespace ringside::rules::rule_pageable_copy
