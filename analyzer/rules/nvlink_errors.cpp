// SPDX-License-Identifier: Apache-2.0
// Finds NVLink errors and missing links. A single replay costs little, but many indicate a bad link, which
// slows every collective through it.
#include "words/nvlink_errors.h"

#include "rules/shared/conditions.h"
#include "words/span.h"

#include <map>

namespace ringside::rules::rule_nvlink_errors {
namespace {

namespace text = words::nvlink_errors;

using conditions::Judged;
using conditions::Subject;

Finding findingOf(const Context& context, const Subject& gpu, Severity severity)
{
    Finding finding;
    finding.severity = severity;
    finding.limit = Limit::Link;
    addPlace(context, gpu, gpu.sampled(), words::span::sampled, finding);
    return finding;
}

/// The counters of one GPU that increased.
struct Errors {
    double count = 0;
    std::string_view which;
    Severity severity = Severity::Info;
};

Errors errorsOf(const std::vector<Judged>& rows)
{
    Errors errors;
    for (const Judged& row : rows) {
        if (row.condition->more.read == nullptr) {
            errors.count += row.value;
            errors.which = row.condition->metric.text();
            errors.severity = std::max(errors.severity, row.severity);
        }
    }
    return errors;
}

/// One finding on all GPUs of which error counters increased.
void judgeCounters(const Context& context, std::vector<Finding>& findings)
{
    Finding finding;
    Errors worst;
    bool lost = false;
    for (const Subject& gpu : context.figures.gpus) {
        const auto rows =
            conditions::judge(gpu, conditions::conditionsOf("nvlink_errors"), limitsOf(context));
        const Errors errors = errorsOf(rows);
        if (errors.count <= 0 || errors.count < context.option("errors")) {
            continue;
        }
        for (const Judged& row : rows) {
            if (row.condition->more.read == nullptr) {
                addPlace(
                    context, gpu, gpu.sampled(),
                    say(text::increased, {{"counter", row.condition->metric.text()}, {"gain", row.value}}),
                    finding);
            }
        }
        finding.severity = std::max(finding.severity, errors.severity);
        lost = lost || gpu.gain("nvlink5_failed_recoveries").value_or(0) > 0;
        worst = errors.count > worst.count ? errors : worst;
    }
    if (worst.count <= 0) {
        return;
    }
    finding.limit = Limit::Link;
    finding.title = say(text::errors, {{"errors", worst.count},
                                       {"counter", worst.which},
                                       {"lost", lost ? words::Text(text::lost) : words::Text()}});
    finding.figures = {{"errors", Unit::Count, worst.count, context.option("errors")}};
    finding.advice = text::remedy_errors;
    findings.push_back(std::move(finding));
}

/// Errors of symbols are what correction is for, and no source gives a limit for them.
void judgeBits(const Context& context, const Subject& gpu, std::vector<Finding>& findings)
{
    for (const Judged& row :
         conditions::judge(gpu, conditions::conditionsOf("nvlink_errors"), limitsOf(context))) {
        if (!row.condition->more.figure.empty()) {
            Finding finding = findingOf(context, gpu, row.severity);
            finding.title =
                say(text::bits_of_gpu, {{"who", gpusText(context, {&gpu})}, {"value", row.value}});
            finding.figures = {{"effective_ber", Unit::Ratio, row.value, row.limit}};
            finding.advice = text::remedy_bit_errors;
            findings.push_back(std::move(finding));
        }
    }
}

/// The model of a GPU; empty if it is not known.
std::string modelOf(const Context& context, const Subject& gpu)
{
    if (gpu.rank) {
        for (const trace::DeviceRow& device : context.run.processOf(context.run.ranks[*gpu.rank]).devices) {
            if ("gpu" + std::to_string(device.ordinal) == gpu.name) {
                return device.name;
            }
        }
    }
    return {};
}

/// Fewer links up than others of the same model have: if all have the same number, they are built that way.
void judgeLinks(const Context& context, std::vector<Finding>& findings)
{
    std::map<std::string, std::int64_t> most;
    for (const Subject& gpu : context.figures.gpus) {
        std::int64_t& links = most[modelOf(context, gpu)];
        links = std::max(
            {links, gpu.first("nvlink_links_up").value_or(0), gpu.last("nvlink_links_up").value_or(0)});
    }
    for (const Subject& gpu : context.figures.gpus) {
        const std::int64_t expected = most.at(modelOf(context, gpu));
        const std::int64_t now = gpu.last("nvlink_links_up").value_or(expected);
        if (now >= expected) {
            continue;
        }
        Finding finding = findingOf(context, gpu, Severity::Problem);
        finding.title =
            say(text::links_up, {{"who", gpusText(context, {&gpu})}, {"now", now}, {"expected", expected}});
        finding.title += now < *gpu.first("nvlink_links_up") ? words::Text(text::went_down) : words::Text();
        finding.figures = {
            {"links_up", Unit::Count, static_cast<double>(now), static_cast<double>(expected)}};
        finding.advice = text::remedy_links;
        findings.push_back(std::move(finding));
    }
}

Outcome run(const Context& context)
{
    const auto isRead = [&](const Subject& gpu) {
        return gpu.last("nvlink_links_up") || isAnyRead(gpu, conditions::conditionsOf("nvlink_errors"));
    };
    if (std::ranges::none_of(context.figures.gpus, isRead)) {
        return NotApplicable{text::not_measured};
    }
    std::vector<Finding> findings;
    judgeCounters(context, findings);
    judgeLinks(context, findings);
    for (const Subject& gpu : context.figures.gpus) {
        judgeBits(context, gpu, findings);
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(nvlink_errors, .title = text::heading, .needs = {{"sampled"}, " (nvml)"},
              .options = conditions::optionsOf("nvlink_errors"), .run = run, .help = text::help,
              .checksLinks = true);

} // namespace ringside::rules::rule_nvlink_errors
