// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/moment.h"

#include "base/text.h"

#include <QFileInfo>

namespace ringside::gui {

using namespace Qt::StringLiterals;

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
