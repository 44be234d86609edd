// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/moment.h"

#include "app/text.h"

#include <QFileInfo>

#include <array>
#include <cmath>

namespace ringside::gui {

using namespace Qt::StringLiterals;

std::optional<std::int64_t> parseTime(const QString& text)
{
    struct Unit {
        QLatin1StringView name;
        double ns = 1;
    };
    constexpr std::array kUnits{Unit{"ns"_L1, 1}, Unit{"us"_L1, 1e3}, Unit{"ms"_L1, 1e6}, Unit{"s"_L1, 1e9},
                                Unit{""_L1, 1e9}};
    constexpr double kLatest = 9e18; // what 64 bits hold
    const auto unit =
        std::ranges::find_if(kUnits, [&](const Unit& each) { return text.endsWith(each.name); });
    if (unit == kUnits.end()) {
        return std::nullopt; // a null text ends with nothing, not even with the empty unit
    }
    bool good = false;
    const double ns = text.chopped(unit->name.size()).trimmed().toDouble(&good) * unit->ns;
    return good && std::abs(ns) < kLatest ? std::optional<std::int64_t>(std::llround(ns)) : std::nullopt;
}

QString linkTo(const Paths& run, const model::Interval& time, const std::optional<std::int64_t>& rank)
{
    QString link = u"ringside-gui"_s;
    for (const std::filesystem::path& path : run) {
        QString quoted = QFileInfo(toQt(path.string())).absoluteFilePath();
        quoted.replace(u"'"_s, u"'\\''"_s);
        link += u" '"_s + quoted + u"'"_s;
    }
    link += u" --at %1ns --for %2ns"_s.arg(time.start).arg(time.length());
    return rank ? link + u" --rank %1"_s.arg(*rank) : link;
}

} // namespace ringside::gui
