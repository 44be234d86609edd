// SPDX-License-Identifier: Apache-2.0
// Finds NVLink errors and missing links. A single replay costs little, but many indicate a bad link, which
// slows every collective through it.
#include "words/nvlink_errors.h"

#include "rules/shared/device_samples.h"
#include "words/span.h"

#include <array>
#include <map>
#include <tuple>

namespace ringside::rules::rule_nvlink_errors {
namespace {

namespace text = words::nvlink_errors;

constexpr Option kOptions[] = {
    {"errors", 1, "fewest replays and recoveries of all links of a GPU within the run (DCGM's limit)"},
    {"checksums_a_second", 100,
     "a problem from this rate of checksum errors; fewer are repaired in passing (DCGM's limit)"},
    {"effective_ber", 1e-12,
     "a problem above this bit error rate of NVLink 5 after error correction (DCGM's limit); up to 1e-15 is "
     "normal"},
};

enum class Kind : std::uint8_t { Repeated, Checksum, Recovered, Lost };
struct Counter {
    trace::SeriesMetric metric;
    Kind kind;
};
const std::array<Counter, 6> kCounters = {{
    {"nvlink_crc_flit_errors", Kind::Checksum},
    {"nvlink_crc_data_errors", Kind::Checksum},
    {"nvlink_replays", Kind::Repeated},
    {"nvlink_recoveries", Kind::Repeated},
    {"nvlink5_recoveries", Kind::Recovered},
    {"nvlink5_failed_recoveries", Kind::Lost},
}};

/// How much the error counters of one GPU increased.
struct Errors {
    bool known = false;
    bool lost = false;
    bool many = false;  ///< checksum errors, at a rate that slows the link down
    bool harms = false; ///< more than what links repair in passing
    double count = 0;
    std::string_view which;
    std::vector<Evidence> evidence;
};

Errors errorsOf(const Context& context, const model::Rank& rank)
{
    Errors errors;
    for (const Counter& counter : kCounters) {
        const auto gain = gpuGain(context, rank, counter.metric);
        errors.known = errors.known || gain;
        if (gain.value_or(0) <= 0) {
            continue;
        }
        const auto samples = gpuSamples(context, rank, counter.metric);
        const double seconds =
            std::max(1.0, static_cast<double>(samples.back().timeNs - samples.front().timeNs) / 1e9);
        const auto gained = static_cast<double>(*gain);
        errors.count += gained;
        errors.lost = errors.lost || counter.kind == Kind::Lost;
        errors.many = errors.many || (counter.kind == Kind::Checksum &&
                                      gained / seconds >= context.option("checksums_a_second"));
        errors.harms = errors.harms || errors.many || counter.kind == Kind::Repeated || errors.lost;
        errors.which = counter.metric.text();
        errors.evidence.push_back(evidence(
            rank, samples, say(text::increased, {{"counter", counter.metric.text()}, {"gain", *gain}})));
    }
    return errors;
}

/// Adds a finding if error counters increased. Returns true if any counter was sampled.
bool checkErrors(const Context& context, std::vector<Finding>& findings)
{
    Finding finding;
    bool known = false;
    Errors worst;
    for (const model::Rank& rank : context.run.ranks) {
        Errors errors = errorsOf(context, rank);
        known = known || errors.known;
        if (errors.count <= 0 || errors.count < context.option("errors")) {
            continue;
        }
        finding.ranks.push_back(rank.rank);
        std::move(errors.evidence.begin(), errors.evidence.end(), std::back_inserter(finding.evidence));
        worst.lost = worst.lost || errors.lost;
        worst.many = worst.many || errors.many;
        worst.harms = worst.harms || errors.harms;
        if (errors.count > worst.count) {
            worst.count = errors.count;
            worst.which = errors.which;
        }
    }
    if (finding.ranks.empty()) {
        return known;
    }
    finding.severity = worst.lost || worst.many ? Severity::Problem
                       : worst.harms            ? Severity::Warning
                                                : Severity::Info;
    finding.limit = Limit::Link;
    finding.title = say(text::errors, {{"errors", worst.count},
                                       {"counter", worst.which},
                                       {"lost", worst.lost ? words::Text(text::lost) : words::Text()}});
    finding.figures = {{"errors", Unit::Count, worst.count, context.option("errors")}};
    finding.advice = text::remedy_errors;
    findings.push_back(std::move(finding));
    return known;
}

struct Links {
    const model::Rank* rank = nullptr;
    std::string model; ///< model of the GPU
    std::int64_t before = 0;
    std::int64_t now = 0;
};

std::vector<Links> linksOf(const Context& context)
{
    std::vector<Links> all;
    for (const model::Rank& rank : context.run.ranks) {
        const auto up = gpuSamples(context, rank, "nvlink_links_up");
        if (up.empty()) {
            continue;
        }
        Links links{&rank, {}, up.front().value, up.back().value};
        const std::string gpu = metrics::gpuName(context.run, rank);
        for (const trace::DeviceRow& device : context.run.processOf(rank).devices) {
            links.model = "gpu" + std::to_string(device.ordinal) == gpu ? device.name : links.model;
        }
        all.push_back(std::move(links));
    }
    return all;
}

/// Adds findings for GPUs with fewer links up than others of the same model. If all have the same number, the
/// machine is built that way. Returns true if any was sampled.
bool checkLinks(const Context& context, std::vector<Finding>& findings)
{
    const std::vector<Links> all = linksOf(context);
    std::map<std::string, std::int64_t> most;
    for (const Links& links : all) {
        most[links.model] = std::max({most[links.model], links.before, links.now});
    }
    for (const Links& links : all) {
        const std::int64_t expected = most.at(links.model);
        if (links.now >= expected) {
            continue;
        }
        Finding finding;
        finding.severity = Severity::Problem;
        finding.limit = Limit::Link;
        finding.ranks = {links.rank->rank};
        finding.title =
            say(text::links_up, {{"rank", links.rank->rank}, {"now", links.now}, {"expected", expected}});
        if (links.now < links.before) {
            finding.title += text::went_down;
        }
        finding.figures = {
            {"links_up", Unit::Count, static_cast<double>(links.now), static_cast<double>(expected)}};
        finding.evidence = {
            evidence(*links.rank, gpuSamples(context, *links.rank, "nvlink_links_up"), words::span::sampled)};
        finding.advice = text::remedy_links;
        findings.push_back(std::move(finding));
    }
    return !all.empty();
}

/// Adds findings for bit error rates of NVLink 5 after correction, of the worst link of each GPU. Errors of
/// symbols are what correction is for, and no source gives a limit for them. Returns true if any was sampled.
bool checkBitErrors(const Context& context, std::vector<Finding>& findings)
{
    constexpr double kBits = 1e18; // the sampled metric counts errors per 1e18 bits
    bool known = false;
    for (const model::Rank& rank : context.run.ranks) {
        const auto samples = gpuSamples(context, rank, "nvlink5_effective_errors_per_1e18");
        const auto worst = std::ranges::max_element(samples, {}, &metrics::SampleValue::value);
        known = known || worst != samples.end();
        const double rate = worst != samples.end() ? static_cast<double>(worst->value) / kBits : 0.0;
        if (rate <= context.option("effective_ber")) {
            continue;
        }
        Finding finding;
        finding.severity = Severity::Problem;
        finding.limit = Limit::Link;
        finding.ranks = {rank.rank};
        finding.title = say(text::bit_errors, {{"rank", rank.rank}, {"rate", rate}});
        finding.figures = {{"effective_ber", Unit::Ratio, rate, context.option("effective_ber")}};
        finding.evidence = {evidence(rank, samples, words::span::sampled)};
        finding.advice = text::remedy_bit_errors;
        findings.push_back(std::move(finding));
    }
    return known;
}

Outcome run(const Context& context)
{
    std::vector<Finding> findings;
    const bool counted = checkErrors(context, findings);
    const bool linked = checkLinks(context, findings);
    const bool rated = checkBitErrors(context, findings);
    if (!counted && !linked && !rated) {
        return NotApplicable{text::not_measured};
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(nvlink_errors, .title = text::heading, .needs = "sampled (nvml)", .options = kOptions,
              .run = run, .help = text::help, .checksLinks = true);

} // namespace ringside::rules::rule_nvlink_errors
