// SPDX-License-Identifier: Apache-2.0
// Finds copies that nothing hides: neither compute nor communication runs beside them. The advice follows the
// direction with most of that time and the memory at the host's end.
#include "words/exposed_copy.h"

#include "metrics/exposed_copies.h"
#include "rules/shared/support.h"

namespace ringside::rules::rule_exposed_copy {
namespace {

namespace text = words::exposed_copy;

// The shares are those of exposed_communication, because both are device time without compute.
constexpr Option kOptions[] = {
    {"share", 0.10, "warn above this share of a rank's step"},
    {"problem_share", 0.20, "a problem above this share"},
};

const words::Template& memoryText(std::uint32_t hostMemory)
{
    return hostMemory == trace::kPinnedMemory     ? text::pinned
           : hostMemory == trace::kPageableMemory ? text::pageable
                                                  : text::host;
}

struct Direction {
    words::Text name;
    const words::Template& remedy;
};

Direction directionOf(const metrics::CopyExposure& copies)
{
    constexpr std::uint32_t kOnDevice = 8; // CUpti_ActivityMemcpyKind
    constexpr std::uint32_t kBetweenDevices = 10;
    switch (copies.kind) {
    case trace::kCopyToDevice:
        return {say(text::to_device, {{"memory", memoryText(copies.hostMemory)}}), text::to_device_remedy};
    case trace::kCopyToHost:
        return {say(text::to_host, {{"memory", memoryText(copies.hostMemory)}}), text::to_host_remedy};
    case kOnDevice:
        return {text::on_device, text::on_device_remedy};
    case kBetweenDevices:
        return {text::between_devices, text::between_devices_remedy};
    case trace::kSetKind:
        return {text::sets, text::sets_remedy};
    default:
        return {text::other, text::to_device_remedy};
    }
}

double shareOf(const metrics::RankMetrics& rank)
{
    return rank.total.share(rank.total.exposedCopyNs);
}

Finding describe(const Context& context, const metrics::RankMetrics& worst, std::vector<std::int64_t> ranks)
{
    const metrics::CopyExposure most = metrics::exposedCopiesOf(context.run, worst).front();
    const double part = static_cast<double>(most.exposedNs) / static_cast<double>(worst.total.exposedCopyNs);
    const Direction direction = directionOf(most);
    const bool hasRate = most.bytes > 0 && most.kind != trace::kSetKind;
    Finding finding;
    finding.severity =
        shareOf(worst) > context.option("problem_share") ? Severity::Problem : Severity::Warning;
    finding.limit = Limit::Copy;
    finding.title =
        say(text::title,
            {{"share", shareOf(worst)},
             {"part", part},
             {"direction", direction.name},
             {"rate", hasRate ? say(text::rate, {{"rate", most.gigabytesPerSecond()}}) : words::Text()}});
    if (ranks.size() < context.figures.ranks.size()) {
        finding.ranks = std::move(ranks);
        finding.partOf = {"late_rank"};
    }
    finding.costNsPerStep = ofAStep(context, worst, worst.total.exposedCopyNs);
    finding.figures = {{"exposed_copy_share", Unit::Share, shareOf(worst), context.option("share")},
                       {"share_of_direction", Unit::Share, part, {}},
                       {"bytes", Unit::Bytes, most.bytes / worst.periods, {}, PerPeriod::Yes}};
    finding.evidence = {evidence(context.rankOf(worst), most.longest, text::longest)};
    finding.advice = most.hostMemory == trace::kPageableMemory
                         ? text::pin_first + words::Text(direction.remedy)
                         : words::Text(direction.remedy);
    return finding;
}

Outcome run(const Context& context)
{
    const metrics::RankMetrics* worst = nullptr;
    std::vector<std::int64_t> ranks;
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        if (shareOf(rank) > context.option("share") && rank.total.exposedCopyNs > 0) {
            ranks.push_back(context.rankOf(rank).rank);
            worst = worst == nullptr || shareOf(rank) > shareOf(*worst) ? &rank : worst;
        }
    }
    if (worst == nullptr) {
        return std::vector<Finding>{};
    }
    return std::vector<Finding>{describe(context, *worst, std::move(ranks))};
}

} // namespace

RINGSIDE_RULE(exposed_copy, .title = text::heading, .needs = {{"device"}}, .options = kOptions, .run = run,
              .needsDevice = true, .help = text::help);

} // namespace ringside::rules::rule_exposed_copy
