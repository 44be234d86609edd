// SPDX-License-Identifier: GPL-3.0-or-later
// ringside-gui [RUN...] [--compare BASE] [--export FILE]: each RUN gets a window, files of other tools are
// one run; with --export none, and no display is needed.
#include "app/export.h"
#include "app/main_window.h"
#include "values/parse_moment.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QFileInfo>
#include <QSettings>

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace {

using namespace Qt::StringLiterals;

/// Selects Qt's offscreen platform for --export, --help and --version, which need no display.
void avoidDisplay(int argc, char** argv)
{
    for (int i = 1; i < argc; ++i) {
        const std::string_view word(argv[i]);
        if (word.starts_with("--export") || word.starts_with("--help") || word == "-h" ||
            word == "--version" || word == "-v") {
            qputenv("QT_QPA_PLATFORM", "offscreen");
        }
    }
}

/// Whether Qt would abort for lack of a display. It does not if the user names a platform.
bool lacksDisplay(int argc, char** argv)
{
    const bool isPlatformNamed = std::any_of(argv + 1, argv + argc, [](std::string_view word) {
        return word.starts_with("-platform") || word.starts_with("--platform");
    });
    return !isPlatformNamed && qEnvironmentVariableIsEmpty("DISPLAY") &&
           qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY") && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM");
}

void printError(const QString& text)
{
    std::fputs(text.toLocal8Bit().constData(), stderr);
}

} // namespace

int main(int argc, char** argv)
{
    avoidDisplay(argc, argv);
    if (lacksDisplay(argc, argv)) {
        printError(
            u"ringside-gui: there is no display: DISPLAY and WAYLAND_DISPLAY are not set.\n"
            u"  Log in with `ssh -X`, or write a page or a picture instead: ringside-gui RUN --export page.html\n"_s);
        return 2;
    }
    QApplication application(argc, argv);
    QApplication::setApplicationName(u"ringside-gui"_s);
    QApplication::setOrganizationName(u"ringside"_s);
    QApplication::setApplicationDisplayName(u"Ringside"_s);
    QApplication::setApplicationVersion(QStringLiteral(RINGSIDE_VERSION));
    QApplication::setDesktopFileName(u"org.ringside.Ringside"_s);
    QCommandLineParser parser;
    parser.setApplicationDescription(u"Shows what limits the speed of a distributed training run."_s);
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(u"RUN"_s, u"Run directories, merged files, or traces of other tools."_s,
                                 u"[RUN...]"_s);
    const QCommandLineOption exportTo(
        u"export"_s, u"Write the report page (.html) or a picture of the window (.png) to FILE and exit."_s,
        u"FILE"_s);
    const QCommandLineOption dark(u"dark"_s, u"Use dark colours, for this start only."_s);
    const QCommandLineOption light(u"light"_s, u"Use light colours, for this start only."_s);
    const QCommandLineOption view(
        u"view"_s, u"With --export: the view to show in front, for example findings."_s, u"VIEW"_s);
    const QCommandLineOption base(u"compare"_s, u"Show RUN beside the run BASE."_s, u"BASE"_s);
    const QCommandLineOption at(u"at"_s, u"Show this moment in the timeline: 1.25s, 20ms."_s, u"TIME"_s);
    const QCommandLineOption length(u"for"_s, u"With --at: show so much time from there on."_s, u"TIME"_s);
    const QCommandLineOption rank(u"rank"_s, u"With --at: mark this rank."_s, u"RANK"_s);
    parser.addOptions({exportTo, view, base, at, length, rank, dark, light});
    parser.process(application);

    namespace gui = ringside::gui;
    const auto stored =
        static_cast<gui::Appearance>(std::clamp(QSettings().value("window/appearance"_L1, 0).toInt(), 0, 2));
    const bool exporting = parser.isSet(exportTo);
    gui::applyAppearance(application, parser.isSet(dark)                 ? gui::Appearance::Dark
                                      : parser.isSet(light) || exporting ? gui::Appearance::Light
                                                                         : stored);
    const QStringList runs = parser.positionalArguments();
    const auto moment = ringside::values::parseMoment(parser.value(at).toStdString());
    const auto shown =
        ringside::values::parseMoment(parser.isSet(length) ? parser.value(length).toStdString() : "20ms");
    bool isRank = false;
    const std::int64_t rankNumber = parser.value(rank).toLongLong(&isRank);
    if ((parser.isSet(at) && !moment) || !shown || (parser.isSet(rank) && !isRank)) {
        printError(u"ringside-gui: --at and --for take a time such as 1.25s or 20ms, --rank a number.\n"_s);
        return 2;
    }
    const auto place = moment
                           ? std::optional(gui::ShownPlace{{*moment, *moment + *shown},
                                                           isRank ? std::optional(rankNumber) : std::nullopt})
                           : std::nullopt;
    if (exporting) {
        if (runs.size() != 1) {
            printError(u"ringside-gui: --export needs one RUN.\n"_s);
            return 2;
        }
        if (parser.isSet(base)) {
            printError(u"ringside-gui: --export shows one run; `ringside diff BASE RUN` compares two.\n"_s);
            return 2;
        }
        return gui::exportRun(runs.front(), parser.value(exportTo), parser.value(view), place);
    }
    if (parser.isSet(base) && runs.size() != 1) {
        printError(u"ringside-gui: --compare needs one RUN.\n"_s);
        return 2;
    }
    auto* const window = new gui::MainWindow; // deletes itself when closed
    window->show();
    const bool files = std::ranges::none_of(runs, [](const QString& run) { return QFileInfo(run).isDir(); });
    if (runs.size() > 1 && files) { // files are one run, as for `ringside report`; folders are one each
        gui::Paths paths;
        std::ranges::transform(runs, std::back_inserter(paths), &QString::toStdString);
        window->open(paths);
    } else {
        for (const QString& run : runs) {
            window->open({run.toStdString()});
        }
    }
    if (place) {
        window->showMoment(place->time, place->rank);
    }
    if (parser.isSet(base)) {
        window->compareWith({parser.value(base).toStdString()});
    }
    return QApplication::exec();
}
