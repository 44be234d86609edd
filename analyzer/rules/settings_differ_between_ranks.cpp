// SPDX-License-Identifier: Apache-2.0
// Finds ranks with other libraries or variables than the rest of the job. At best they are slow; at worst
// ranks choose different algorithms and wait for each other forever.
#include "words/settings_differ_between_ranks.h"

#include "rules/shared/settings.h"
#include "settings/compared.h"

#include <algorithm>
#include <map>

namespace ringside::rules::rule_settings_differ_between_ranks {
namespace {

namespace text = words::settings_differ_between_ranks;

using Ranks = std::vector<std::int64_t>;
/// Ranks by setting and value. A rank without the setting is not listed.
using Values = std::map<std::string, std::map<std::string, Ranks>>;

words::Text ranksText(const Ranks& ranks)
{
    constexpr std::size_t kMost = 8;
    std::vector<std::string> numbers;
    for (std::size_t i = 0; i < ranks.size() && i < kMost; ++i) {
        numbers.push_back(std::to_string(ranks[i]));
    }
    const words::Text named = say(text::ranks, {{"ranks", numbers}});
    return ranks.size() > kMost ? named + say(text::more, {{"more", ranks.size() - kMost}}) : named;
}

Finding findingOf(const std::string& name, const std::map<std::string, Ranks>& values)
{
    // The finding names the ranks without the most frequent value.
    const auto usual =
        std::ranges::max_element(values, {}, [](const auto& entry) { return entry.second.size(); });
    Finding finding;
    finding.severity = Severity::Warning;
    finding.limit = Limit::Settings;
    finding.cause = false;
    words::Text parts;
    for (const auto& [value, ranks] : values) {
        if (!parts.empty()) {
            parts += text::next;
        }
        parts += say(text::value, {{"value", value}, {"ranks", ranksText(ranks)}});
        if (value != usual->first) {
            finding.ranks.insert(finding.ranks.end(), ranks.begin(), ranks.end());
        }
    }
    finding.title = say(text::title, {{"setting", name}, {"values", parts}});
    std::ranges::sort(finding.ranks);
    finding.settings = {name};
    finding.advice = text::remedy;
    return finding;
}

Outcome run(const Context& context)
{
    Values values;
    Ranks recorded;
    for (const model::Rank& rank : context.run.ranks) {
        const trace::ProcessTrace& process = context.run.processOf(rank);
        if (process.settings.empty()) {
            continue;
        }
        recorded.push_back(rank.rank);
        for (const trace::SettingRow& row : process.settings) {
            if (settings::isCompared(row)) {
                values[row.name][row.value].push_back(rank.rank);
            }
        }
    }
    if (recorded.size() < 2) {
        return NotApplicable{text::few_settings};
    }
    std::vector<Finding> findings;
    for (auto& [name, byValue] : values) {
        Ranks without = recorded;
        for (const auto& ofValue : byValue) {
            std::erase_if(without, [&set = ofValue.second](std::int64_t rank) {
                return std::ranges::find(set, rank) != set.end();
            });
        }
        if (!without.empty()) {
            byValue["not set"] = without;
        }
        if (byValue.size() > 1) {
            findings.push_back(findingOf(name, byValue));
        }
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(settings_differ_between_ranks, .title = text::heading, .needs = {{"host"}}, .options = {},
              .run = run, .help = text::help);

} // namespace ringside::rules::rule_settings_differ_between_ranks
