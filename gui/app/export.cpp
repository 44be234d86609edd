// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export.h"

#include "app/main_window.h"
#include "app/slice_export.h"
#include "base/text.h"
#include "import/open_run.h"
#include "views/view.h"

#include <ringside/error.h>

#include <QCoreApplication>
#include <QEventLoop>
#include <QSaveFile>

#include <cstdio>

namespace ringside::gui {
namespace {

using namespace Qt::StringLiterals;

int fail(int code, const QString& what, const QString& hint = {})
{
    const QString text =
        u"ringside-gui: "_s + what + u"\n"_s + (hint.isEmpty() ? QString() : QString(hint + u"\n"_s));
    std::fputs(text.toLocal8Bit().constData(), stderr);
    return code;
}

int exportHtml(const QString& run, const QString& path)
{
    importers::Progress nobody;
    const std::string text =
        htmlReport(report::buildReport(importers::openRun({run.toStdString()}, nobody), {}));
    QSaveFile file(path);
    const bool written = file.open(QIODevice::WriteOnly) &&
                         file.write(text.data(), static_cast<qint64>(text.size())) >= 0 && file.commit();
    return written ? 0 : fail(3, u"cannot write %1: %2"_s.arg(path, file.errorString()));
}

int exportPicture(const QString& run, const QString& path, const QString& view,
                  const std::optional<ShownPlace>& place)
{
    constexpr QSize kSize(1600, 1000);
    MainWindow window;
    window.setAttribute(Qt::WA_DeleteOnClose, false);
    window.resize(kSize);
    window.showWhole();
    if (!view.isEmpty() && !window.raiseView(view)) {
        QStringList names;
        for (const ViewEntry* const each : allViews()) {
            names << QLatin1StringView(each->id);
        }
        return fail(2, u"unknown view '%1'"_s.arg(view), u"Use one of: %1."_s.arg(names.join(u", "_s)));
    }
    window.show();
    QEventLoop loop;
    QObject::connect(&window, &MainWindow::timelineReady, &loop, &QEventLoop::quit);
    QObject::connect(&window, &MainWindow::pageChanged, &loop, [&] {
        if (window.page() == MainWindow::Page::Failed) {
            loop.quit();
        }
    });
    window.open({run.toStdString()});
    loop.exec();
    if (window.page() != MainWindow::Page::Workbench) {
        return fail(3, u"%1 cannot be opened"_s.arg(run), u"`ringside report` prints the reason."_s);
    }
    if (place) {
        window.showMoment(place->time, place->rank);
    }
    QCoreApplication::processEvents();
    return window.grab().save(path, "PNG") ? 0 : fail(3, u"cannot write %1"_s.arg(path));
}

} // namespace

int exportRun(const QString& run, const QString& file, const QString& view,
              const std::optional<ShownPlace>& place)
{
    const bool html = file.endsWith(".html"_L1, Qt::CaseInsensitive);
    if (!html && !file.endsWith(".png"_L1, Qt::CaseInsensitive)) {
        return fail(2, u"%1 ends in neither .html nor .png"_s.arg(file));
    }
    try {
        return html ? exportHtml(run, file) : exportPicture(run, file, view, place);
    } catch (const Error& error) {
        return fail(error.code == ErrorCode::Usage ? 2 : 3, toQt(error.what()), toQt(error.hint));
    } catch (const std::exception& error) {
        return fail(3, toQt(error.what()));
    }
}

} // namespace ringside::gui
