// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/variable_findings.h"

#include "settings/versions.h"
#include "words/variable_findings.h"

#include <algorithm>

namespace ringside::rules {
namespace {

settings::Variables environmentOf(const trace::ProcessTrace& process)
{
    settings::Variables variables;
    for (const trace::SettingRow& row : process.settings) {
        if (row.source == "environment" || row.source == "nccl.conf") {
            variables.emplace(row.name, row.value);
        }
    }
    return variables;
}

/// Returns the number that ncclGetVersion returns (22809) of "2.28.9".
std::optional<std::int64_t> versionNumber(std::string_view text)
{
    constexpr std::int64_t kMost = 99;
    const auto version = settings::versionIn(text);
    if (!version || std::ranges::max(*version) > kMost) {
        return std::nullopt;
    }
    const auto [major, minor, patch] = *version;
    return major * (major > 2 || minor > 8 ? 10000 : 1000) + minor * 100 + patch;
}

settings::LoadedLibrary libraryOf(const trace::ProcessTrace& process)
{
    settings::LoadedLibrary library;
    library.ncclVersion = versionNumber(settingOf(process, {"library", "nccl"}).value_or(""));
    std::string_view names = settingOf(process, {"library", "nccl_unknown_variables"}).value_or("");
    while (!names.empty()) {
        const std::string_view name = names.substr(0, names.find(','));
        names.remove_prefix(std::min(names.size(), name.size() + 1));
        library.unknown.emplace(name);
    }
    return library;
}

/// Returns true if the process recorded what a rule about this kind of trouble reads.
bool recorded(const trace::ProcessTrace& process, const settings::Variables& variables,
              settings::Trouble trouble)
{
    return trouble == settings::Trouble::Unknown
               ? settingOf(process, {"library", "nccl_unknown_variables"}).has_value()
               : !variables.empty();
}

words::Text titleOf(const settings::Remark& remark)
{
    return say(words::variable_findings::title, {{"what", remark.what}});
}

Finding findingOf(const settings::Remark& remark)
{
    Finding finding;
    finding.severity = remark.severity;
    finding.limit = Limit::Settings;
    finding.cause = false;
    finding.title = titleOf(remark);
    finding.settings = {remark.variable};
    finding.advice = say(words::variable_findings::remedy, {{"advice", remark.advice}});
    return finding;
}

} // namespace

Outcome variableFindings(const Context& context, settings::Trouble trouble)
{
    std::vector<Finding> findings;
    bool known = false;
    for (const model::Rank& rank : context.run.ranks) {
        const trace::ProcessTrace& process = context.run.processOf(rank);
        const settings::Variables variables = environmentOf(process);
        if (!recorded(process, variables, trouble)) {
            continue;
        }
        known = true;
        for (const settings::Remark& remark : settings::checkVariables(variables, libraryOf(process))) {
            if (remark.trouble != trouble) {
                continue;
            }
            auto same = std::ranges::find(findings, titleOf(remark), &Finding::title);
            if (same == findings.end()) {
                findings.push_back(findingOf(remark));
                same = std::prev(findings.end());
            }
            same->ranks.push_back(rank.rank);
            const trace::ProcessRow& row = process.process;
            same->evidence.push_back(evidence(rank, {row.startNs, row.endNs.value_or(row.startNs)},
                                              words::variable_findings::environment));
        }
    }
    if (!known) {
        return NotApplicable{trouble == settings::Trouble::Unknown
                                 ? words::variable_findings::unknown_names
                                 : words::variable_findings::no_environment};
    }
    return findings;
}

} // namespace ringside::rules
