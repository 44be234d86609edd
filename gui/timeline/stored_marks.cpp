// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/stored_marks.h"

#include "app/text.h"

#include <QCryptographicHash>
#include <QFileInfo>
#include <QSettings>

namespace ringside::gui {
namespace {

/// Encodes the path: a slash in a settings key would begin a group.
QString keyOf(const Paths& run)
{
    QCryptographicHash hash(QCryptographicHash::Sha1);
    for (const std::filesystem::path& path : run) {
        hash.addData(QFileInfo(toQt(path.string())).absoluteFilePath().toUtf8());
    }
    return QStringLiteral("marks/") + QString::fromLatin1(hash.result().toHex());
}

} // namespace

Marks storedMarks(const Paths& run, const model::Interval& extent)
{
    std::vector<std::int64_t> times;
    for (const QString& text : QSettings().value(keyOf(run)).toStringList()) {
        bool good = false;
        const std::int64_t time = text.toLongLong(&good);
        if (good && extent.start <= time && time <= extent.end) {
            times.push_back(time);
        }
    }
    return Marks(std::move(times));
}

void storeMarks(const Paths& run, const Marks& marks)
{
    QStringList texts;
    for (const std::int64_t time : marks.times()) {
        texts.append(QString::number(time));
    }
    QSettings settings;
    if (texts.isEmpty()) {
        settings.remove(keyOf(run));
    } else {
        settings.setValue(keyOf(run), texts);
    }
}

} // namespace ringside::gui
