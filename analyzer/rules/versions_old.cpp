// SPDX-License-Identifier: Apache-2.0
// Finds libraries older than practitioners' guides ask for. Newer ones are faster, and detect by themselves
// what older ones must be configured for.
#include "words/versions_old.h"

#include "rules/shared/settings.h"
#include "settings/versions.h"

#include <array>
#include <cmath>

namespace ringside::rules::rule_versions_old {
namespace {

namespace text = words::versions_old;

constexpr Option kOptions[] = {
    {"cuda_runtime", 11.08,
     "oldest CUDA runtime that is not reported (field: CUDA >= 11.8); minor versions as hundredths: 11.08 is "
     "11.8"},
    {"nccl", 2.14, "oldest NCCL that is not reported (field: NCCL >= 2.14), minor versions as hundredths"},
};

/// Converts an option to a version: 11.08 is 11.8, 2.14 is 2.14.
settings::Version fromHundredths(double option)
{
    constexpr double kHundred = 100;
    const std::int64_t hundredths = std::llround(option * kHundred);
    return {hundredths / 100, hundredths % 100, 0};
}

struct Library {
    trace::Fact version; ///< the recorded setting
    std::string_view option;
    std::string_view name;
};
constexpr std::array kLibraries{Library{{"library", "cuda runtime"}, "cuda_runtime", "CUDA runtime"},
                                Library{{"library", "nccl"}, "nccl", "NCCL"}};

Outcome run(const Context& context)
{
    std::vector<Finding> findings;
    bool known = false;
    for (const Library& library : kLibraries) {
        const settings::Version oldest = fromHundredths(context.option(library.option));
        Finding finding;
        for (const model::Rank& rank : context.run.ranks) {
            const trace::ProcessTrace& process = context.run.processOf(rank);
            const auto found = settingOf(process, library.version);
            const auto version = settings::versionIn(found.value_or(""));
            known = known || version;
            if (!version || *version >= oldest) {
                continue;
            }
            finding.title = say(
                text::title,
                {{"library", library.name}, {"version", *found}, {"major", oldest[0]}, {"minor", oldest[1]}});
            finding.ranks.push_back(rank.rank);
        }
        if (!finding.ranks.empty()) {
            finding.severity = Severity::Warning;
            finding.limit = Limit::Settings;
            finding.cause = false;
            finding.advice = text::remedy;
            findings.push_back(std::move(finding));
        }
    }
    if (!known) {
        return NotApplicable{text::not_measured};
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(versions_old, .title = text::heading, .needs = {{"host"}}, .options = kOptions, .run = run,
              .help = text::help);

} // namespace ringside::rules::rule_versions_old
