// SPDX-License-Identifier: GPL-3.0-or-later
// The menus of the main window: each entry is a command that the palette also finds.
#include "app/command_palette.h"
#include "app/follow_bar.h"
#include "app/follower.h"
#include "app/layout_menu.h"
#include "app/main_window.h"
#include "app/slice_export.h"
#include "app/workbench.h"
#include "base/navigator.h"
#include "timeline/timeline_widget.h"
#include "views/view.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QMenuBar>
#include <QMessageBox>
#include <QSettings>
#include <QStatusBar>

namespace ringside::gui {

using namespace Qt::StringLiterals;

void MainWindow::addMenus()
{
    addFileMenu();
    addViewMenu();
    addHelpMenu();
    statusBar()->setSizeGripEnabled(false);
}

QAction* MainWindow::addCommand(QMenu* menu, const QString& text, const QString& help,
                                const QKeySequence& key, const std::function<void()>& action)
{
    QAction* const each = menu->addAction(text);
    each->setShortcut(key);
    each->setToolTip(help);
    each->setStatusTip(help);
    connect(each, &QAction::triggered, this, action);
    return each;
}

void MainWindow::addFileMenu()
{
    QMenu* const file = menuBar()->addMenu(u"&File"_s);
    addCommand(file, u"&Open run…"_s, u"Opens a run directory written by ringside record"_s,
               QKeySequence::Open, [this] { chooseDirectory(); });
    addCommand(file, u"Open &files…"_s,
               u"Opens merged runs or traces of other tools; the chosen files are read as one run"_s,
               QKeySequence(u"Ctrl+Shift+O"_s), [this] { chooseFiles(); });
    addCommand(file, u"Compare &with…"_s,
               u"Shows another run beside this one: differences and linked timelines"_s,
               QKeySequence(u"Ctrl+Shift+D"_s), [this] { compareWith({}); });
    m_recent = file->addMenu(u"&Recent"_s);
    connect(m_recent, &QMenu::aboutToShow, this, [this] { fillRecent(); });
    file->addSeparator();
    addCommand(file, u"&Read again"_s, u"Opens the same run again, with what was recorded since"_s,
               QKeySequence::Refresh, [this] {
                   if (!m_paths.empty()) {
                       startOpening(m_paths);
                   }
               });
    addFollower(file);
    addCommand(file, u"&Price of a GPU-hour…"_s,
               u"Shows in view Summary what the losses cost a day, in money"_s, {}, [this] { askPrice(); });
    addCommand(file, u"&Save report…"_s, u"Writes the report as one self-contained HTML page"_s,
               QKeySequence::Save, [this] { exportHtml(); });
    addCommand(
        file, u"&Export a part…"_s,
        u"Writes the chosen time, else the visible one, of the shown ranks for Perfetto or as a Chrome "
        u"trace"_s,
        QKeySequence(u"Ctrl+E"_s), [this] { timeline().requestExport(); });
    connect(m_navigator, &Navigator::exportRequested, this,
            [this](const model::Interval& time, const std::vector<std::size_t>& ranks) {
                exportSlice(this, m_session, {time, ranks});
            });
    file->addSeparator();
    addCommand(file, u"&Close"_s, u"Closes this window"_s, QKeySequence::Close, [this] { close(); });
    addCommand(file, u"&Quit"_s, u"Closes all windows"_s, QKeySequence::Quit,
               [] { QApplication::closeAllWindows(); });
}

void MainWindow::addFollower(QMenu* file)
{
    const auto isBusy = [] {
        return QApplication::mouseButtons() != Qt::NoButton || QApplication::activePopupWidget() != nullptr ||
               QApplication::activeModalWidget() != nullptr;
    };
    m_follower = new Follower(isBusy, this);
    QAction* const pause =
        addCommand(file, u"&Pause"_s, u"Holds the picture of a job that runs, or follows it again"_s,
                   QKeySequence(u"F6"_s),
                   [this] { m_follower->setPaused(m_follower->state() == Follower::State::Following); });
    m_followBar = new FollowBar(*m_follower, pause, this);
    statusBar()->addPermanentWidget(m_followBar);
    connect(m_follower, &Follower::sessionReady, this, [this](const Session& now) { showSession(now); });
    connect(m_follower, &Follower::stateChanged, this, [this] {
        if (m_follower->state() == Follower::State::Ended) {
            showNotices(); // a process may have died before its last records were written
        }
    });
}

void MainWindow::addViewMenu()
{
    QMenu* const menu = menuBar()->addMenu(u"&View"_s);
    int number = 0;
    for (const ViewEntry* entry : allViews()) {
        ++number;
        const QString key =
            number <= 10 ? u"Ctrl+%1"_s.arg(number % 10) : u"Ctrl+Shift+%1"_s.arg(number % 10);
        addCommand(menu, QString::fromLatin1(entry->title), QString::fromLatin1(entry->help),
                   QKeySequence(key), [this, entry] { raiseView(QString::fromLatin1(entry->id)); });
    }
    menu->addSeparator();
    addCommand(menu, u"Co&mmands…"_s, u"Finds any command, finding or rank by what one types"_s,
               QKeySequence(u"Ctrl+P"_s),
               [this] { (new CommandPalette(*this, placesOf(m_session, *m_navigator)))->open(); });
    addCommand(menu, u"&Back to the figure"_s,
               u"Returns to the finding or figure that led to the moment in the timeline"_s,
               QKeySequence(u"Alt+Left"_s), [this] { m_workbench->goBack(); });
    addCommand(menu, u"&Only this view"_s,
               u"Gives all room to the view that has the focus; again: all views as before"_s,
               QKeySequence(u"F11"_s), [this] { m_workbench->toggleMaximised(); });
    m_layouts = new LayoutMenu(*m_workbench, menu);
    menu->addMenu(m_layouts);
    addCommand(menu, u"&Reset layout"_s, u"Moves all views back to their default places"_s, {},
               [this] { m_workbench->resetLayout(); });
    QMenu* const appearance = menu->addMenu(u"&Appearance"_s);
    auto* const group = new QActionGroup(this);
    const int now = QSettings().value("window/appearance"_L1, 0).toInt();
    const QString names[] = {u"As the &system"_s, u"&Light"_s, u"&Dark"_s};
    for (int i = 0; i < 3; ++i) {
        QAction* const each = addCommand(appearance, names[i], u"Colours of all windows"_s, {},
                                         [this, i] { setAppearance(static_cast<Appearance>(i)); });
        each->setCheckable(true);
        each->setChecked(i == now);
        group->addAction(each);
    }
}

void MainWindow::addHelpMenu()
{
    QMenu* const help = menuBar()->addMenu(u"&Help"_s);
    addCommand(help, u"&Commands and keys"_s, u"Lists all commands and their keys"_s,
               QKeySequence::HelpContents, [this] { showKeys(); });
    addCommand(help, u"&About Ringside"_s, u"Shows the version and the licence"_s, {}, [this] {
        QMessageBox::about(
            this, u"About Ringside"_s,
            u"<h3>Ringside " RINGSIDE_VERSION ""_s
            u"</h3><p>Finds out why distributed training is slower than its GPUs.</p>"_s
            u"<p>This program is free software under the GNU General Public License, version 3 "_s
            u"or later; the analyzer inside is under the Apache License 2.0.</p>"_s);
    });
}

} // namespace ringside::gui
