// SPDX-License-Identifier: Apache-2.0
// Parses thresholds of rules that the user sets, and defines the names of limits.
#include "report/report.h"
#include "values/nearest_name.h"
#include "values/parse_share.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ringside {
namespace rules {

const Rule* findRule(std::string_view id)
{
    const auto found = std::ranges::find(all(), id, &Rule::id);
    return found == all().end() ? nullptr : *found;
}

std::string_view limitName(Limit limit)
{
    constexpr std::string_view kNames[] = {"nothing", "compute",  "communication", "late_rank",
                                           "link",    "host",     "data",          "copy",
                                           "memory",  "settings", "death",         "hang"};
    return kNames[static_cast<std::size_t>(limit)];
}

std::string_view limitText(Limit limit)
{
    constexpr std::string_view kTexts[] = {
        "limited by nothing found", "limited by compute", "limited by communication",
        "limited by a late rank",   "limited by a link",  "limited by the host",
        "limited by the data",      "limited by copies",  "limited by memory",
        "limited by settings",      "a rank died",        "ranks that do not meet in a collective"};
    return kTexts[static_cast<std::size_t>(limit)];
}

double Context::option(std::string_view name) const
{
    if (const auto set = m_values.find(fmt::format("{}.{}", m_rule.id, name)); set != m_values.end()) {
        return set->second;
    }
    for (const Option& option : m_rule.options) {
        if (option.name == name) {
            return option.value;
        }
    }
    throw Error(ErrorCode::Usage, fmt::format("rule {} has no option {}", m_rule.id, name));
}

} // namespace rules

namespace report {
namespace {

std::vector<std::string> optionNames()
{
    std::vector<std::string> names;
    for (const rules::Rule* rule : rules::all()) {
        for (const rules::Option& option : rule->options) {
            names.push_back(fmt::format("{}.{}", rule->id, option.name));
        }
    }
    return names;
}

/// Returns the option with the closest name, or with this name without the rule's; empty if there is none.
std::string nearestOption(const std::string& name, const std::vector<std::string>& names)
{
    if (std::string nearest = values::nearestName(name, names); !nearest.empty()) {
        return nearest;
    }
    const auto ends =
        std::ranges::find_if(names, [&](const std::string& each) { return each.ends_with("." + name); });
    return ends != names.end() ? *ends : "";
}

void checkOption(std::string_view name)
{
    const std::vector<std::string> names = optionNames();
    if (std::ranges::find(names, name) == names.end()) {
        const std::string nearest = nearestOption(std::string(name), names);
        throw Error(ErrorCode::Usage, fmt::format("no rule has the option '{}'", name),
                    fmt::format("{}`ringside rules` lists all options.",
                                nearest.empty() ? "" : fmt::format("Did you mean {}? ", nearest)));
    }
}

} // namespace

void setOption(rules::OptionValues& values, std::string_view assignment)
{
    const std::size_t equals = assignment.find('=');
    const std::string_view name = assignment.substr(0, equals);
    checkOption(name);
    if (equals == std::string_view::npos) {
        throw Error(ErrorCode::Usage, fmt::format("--set {} has no value", assignment),
                    fmt::format("Give it as {}=NUMBER.", name));
    }
    const std::string_view text = assignment.substr(equals + 1);
    const auto value = values::parseShare(text);
    if (!value) {
        throw Error(ErrorCode::Usage, fmt::format("'{}' is not a number, in {}", text, assignment),
                    "Write a number, such as 12 or 0.3; a share also as 30%.");
    }
    values.insert_or_assign(std::string(name), *value);
}

} // namespace report
} // namespace ringside
