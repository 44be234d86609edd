// SPDX-License-Identifier: Apache-2.0
// Finds ranks with other libraries or variables than the rest of the job. At best they are slow; at worst
// ranks choose different algorithms and wait for each other forever.
#include "rules/shared/settings.h"
#include "settings/compared.h"

#include <algorithm>
#include <map>

namespace ringside::rules::rule_settings_differ_between_ranks {
namespace {

using Ranks = std::vector<std::int64_t>;
/// Ranks by setting and value. A rank without the setting is not listed.
using Values = std::map<std::string, std::map<std::string, Ranks>>;

std::string ranksText(const Ranks& ranks)
{
    constexpr std::size_t kMost = 8;
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    for (std::size_t i = 0; i < ranks.size() && i < kMost; ++i) {
        text += fmt::format("{}{}", i == 0 ? "" : ", ", ranks[i]);
    }
    return ranks.size() > kMost ? text + fmt::format(" and {} more", ranks.size() - kMost) : text;
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
    std::vector<std::string> parts;
    for (const auto& [value, ranks] : values) {
        parts.push_back(fmt::format("{} on {}", value, ranksText(ranks)));
        if (value != usual->first) {
            finding.ranks.insert(finding.ranks.end(), ranks.begin(), ranks.end());
        }
    }
    finding.title = fmt::format("{} differs between ranks: {}", name, fmt::join(parts, "; "));
    std::ranges::sort(finding.ranks);
    finding.settings = {name};
    finding.advice = "Start every rank with the same libraries and variables. NCCL chooses algorithms on "
                     "each rank from that rank's settings and expects the others to choose the same.";
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
        return NotApplicable{"needs the settings of at least two ranks"};
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

RINGSIDE_RULE(
    settings_differ_between_ranks, .title = "Ranks have different settings", .needs = "host", .options = {},
    .run = run,
    .help = "Versions of libraries, and variables of NCCL, PyTorch, CUDA and OpenMP, that differ between "
            "ranks. Variables that are meant to differ are left out. The cost is not estimated.");

} // namespace ringside::rules::rule_settings_differ_between_ranks
