// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/settings_table.h"

#include "report/sentences.h"
#include "settings/compared.h"

#include <array>
#include <cstdint>
#include <map>

namespace ringside::gui {

namespace {

using Ranks = std::vector<std::int64_t>;

struct Setting {
    std::map<std::string, Ranks> ranks; ///< ranks by value
    bool compared = false;
    bool ofProcess = false; ///< each process has its own, such as variables of the environment
};

enum class Differs : std::uint8_t { Yes, Expected, No };
constexpr std::array<const char*, 3> kWords{"yes", "expected", ""};

Differs differs(const Setting& setting, std::size_t allRanks)
{
    std::size_t ranks = 0;
    for (const auto& [value, list] : setting.ranks) {
        ranks += list.size();
    }
    const bool oneValue = setting.ranks.size() == 1;
    // What is a host's, one of its processes records for all.
    const bool same = oneValue && (ranks == allRanks || (!setting.compared && !setting.ofProcess));
    return same ? Differs::No : setting.compared ? Differs::Yes : Differs::Expected;
}

} // namespace

document::Table settingsTable(const model::Model& model)
{
    std::map<std::pair<std::string, std::string>, Setting> settings;
    for (const model::Rank& rank : model.ranks) {
        for (const trace::SettingRow& row : model.processOf(rank).settings) {
            Setting& setting = settings[{std::string(row.source.text()), row.name}];
            setting.ranks[row.value].push_back(rank.rank);
            setting.compared = ringside::settings::isCompared(row);
            setting.ofProcess = row.source.text() == "environment";
        }
    }
    document::Table table{{"name", "value", "ranks", "source", "differs"}, {}};
    for (const Differs wanted : {Differs::Yes, Differs::Expected, Differs::No}) {
        for (const auto& [key, setting] : settings) {
            if (differs(setting, model.ranks.size()) != wanted) {
                continue;
            }
            for (const auto& [value, list] : setting.ranks) {
                table.rows.push_back({key.second, value,
                                      list.size() == model.ranks.size() ? "all" : report::rankList(list),
                                      key.first, kWords.at(static_cast<std::size_t>(wanted))});
            }
        }
    }
    return table;
}

} // namespace ringside::gui
