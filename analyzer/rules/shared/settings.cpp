// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/settings.h"

#include <algorithm>

namespace ringside::rules {

std::optional<std::string_view> settingOf(const trace::ProcessTrace& process, const trace::Fact& fact,
                                          std::string_view of)
{
    return foreignSettingOf(process, fact.source(), fact.name(of));
}

std::optional<std::string_view> foreignSettingOf(const trace::ProcessTrace& process,
                                                 const trace::SettingSource& source, std::string_view name)
{
    for (const trace::SettingRow& row : process.settings) {
        if (row.source == source && row.name == name) {
            return row.value;
        }
    }
    return std::nullopt;
}

std::set<std::int64_t> cpusOf(std::string_view list)
{
    constexpr std::int64_t kMost = 1 << 16;
    std::set<std::int64_t> cpus;
    while (!list.empty()) {
        const std::string_view part = list.substr(0, list.find(','));
        list.remove_prefix(std::min(list.size(), part.size() + 1));
        const std::size_t dash = part.find('-');
        const auto first = values::parseNumber<std::int64_t>(part.substr(0, dash));
        const auto last =
            dash == std::string_view::npos ? first : values::parseNumber<std::int64_t>(part.substr(dash + 1));
        if (!first || !last || *first < 0 || *last < *first || *last >= kMost) {
            return {};
        }
        for (std::int64_t cpu = *first; cpu <= *last; ++cpu) {
            cpus.insert(cpu);
        }
    }
    return cpus;
}

} // namespace ringside::rules
