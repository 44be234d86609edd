// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/stored_marks.h"

#include "base/text.h"

#include <QCryptographicHash>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <QSettings>

namespace ringside::gui {
namespace {

using namespace Qt::StringLiterals;

constexpr qint64 kLargestFile = 1 << 20; ///< bytes: a damaged or hostile file must not fill the memory

/// Encodes the path: a slash in a settings key would begin a group.
QString keyOf(const Paths& run)
{
    QCryptographicHash hash(QCryptographicHash::Sha1);
    for (const std::filesystem::path& path : run) {
        hash.addData(QFileInfo(toQt(path.string())).absoluteFilePath().toUtf8());
    }
    return u"marks/"_s + QString::fromLatin1(hash.result().toHex());
}

/// Returns the file beside a run that is a folder; empty for others.
QString fileOf(const Paths& run)
{
    const QString folder = run.size() == 1 ? toQt(run.front().string()) : QString();
    return QFileInfo(folder).isDir() ? folder + u"/ringside-marks.json"_s : QString();
}

/// Times are texts: a JSON number does not hold 64 bits.
QByteArray toJson(const Marks& marks)
{
    QJsonArray list;
    for (const std::int64_t time : marks.times()) {
        list.append(QJsonObject{{u"ns"_s, QString::number(time)}, {u"name"_s, toQt(marks.nameOf(time))}});
    }
    return QJsonDocument(QJsonObject{{u"schema"_s, u"ringside-marks/1"_s}, {u"marks"_s, list}}).toJson();
}

Marks fromJson(const QByteArray& text, const model::Interval& extent)
{
    std::map<std::int64_t, std::string> names;
    for (const QJsonValue& each : QJsonDocument::fromJson(text).object().value("marks"_L1).toArray()) {
        bool good = false;
        const std::int64_t time = each.toObject().value("ns"_L1).toString().toLongLong(&good);
        if (good && extent.start <= time && time <= extent.end) {
            names[time] = each.toObject().value("name"_L1).toString().toStdString();
        }
    }
    return Marks(names);
}

} // namespace

Marks storedMarks(const Paths& run, const model::Interval& extent)
{
    QFile file(fileOf(run));
    if (!file.fileName().isEmpty() && file.size() <= kLargestFile && file.open(QIODevice::ReadOnly)) {
        return fromJson(file.read(kLargestFile), extent);
    }
    return fromJson(QSettings().value(keyOf(run)).toByteArray(), extent);
}

void storeMarks(const Paths& run, const Marks& marks)
{
    const QByteArray text = toJson(marks);
    if (const QString name = fileOf(run); !name.isEmpty()) {
        QSaveFile file(name);
        if (file.open(QIODevice::WriteOnly) && file.write(text) == text.size() && file.commit()) {
            return;
        }
    }
    QSettings settings;
    if (marks.times().empty()) {
        settings.remove(keyOf(run));
    } else {
        settings.setValue(keyOf(run), text);
    }
}

} // namespace ringside::gui
