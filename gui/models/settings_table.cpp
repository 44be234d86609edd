// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/settings_table.h"

#include "report/sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace ringside::gui {

report::Table settingsTable(const model::Model& model)
{
    using Ranks = std::vector<std::int64_t>;
    std::map<std::pair<std::string, std::string>, std::map<std::string, Ranks>> settings;
    for (const model::Rank& rank : model.ranks) {
        for (const trace::SettingRow& row : model.processOf(rank).settings) {
            settings[{row.source, row.name}][row.value].push_back(rank.rank);
        }
    }
    report::Table table{{"name", "value", "ranks", "where from", "differs"}, {}};
    std::vector<std::vector<std::string>> same;
    for (const auto& [key, values] : settings) {
        std::size_t ranks = 0;
        for (const auto& [value, list] : values) {
            ranks += list.size();
        }
        const bool differs = values.size() > 1 || ranks < model.ranks.size();
        for (const auto& [value, list] : values) {
            const bool all = list.size() == model.ranks.size();
            (differs ? table.rows : same)
                .push_back({key.second, value, all ? "all" : report::rankList(list), key.first,
                            differs ? "yes" : ""});
        }
    }
    std::ranges::move(same, std::back_inserter(table.rows));
    return table;
}

} // namespace ringside::gui
