// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench.h"

#include "base/navigator.h"
#include "views/view.h"

#include <QApplication>
#include <QDockWidget>
#include <QScrollArea>
#include <QTabBar>

#include <map>

namespace ringside::gui {
namespace {

using namespace Qt::StringLiterals;

/// Share of the height that the views below, of which the timeline is the first, get in the usual layout.
constexpr double kBelow = 0.62;
/// Share of the width that the views on the left get.
constexpr double kLeft = 0.5;

Qt::DockWidgetArea areaOf(Place place)
{
    return place == Place::Left    ? Qt::LeftDockWidgetArea
           : place == Place::Right ? Qt::RightDockWidgetArea
                                   : Qt::BottomDockWidgetArea;
}

QScrollArea* scrolled(View* view, QWidget* parent)
{
    auto* const area = new QScrollArea(parent);
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setFocusPolicy(Qt::NoFocus);
    area->setFocusProxy(view);
    area->setWidget(view);
    return area;
}

} // namespace

Workbench::Workbench(Navigator& navigator, QWidget* parent) : QMainWindow(parent)
{
    setWindowFlags(Qt::Widget);
    setDockNestingEnabled(true);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    addDocks(navigator);
    m_usual = saveState(kLayoutVersion);
    connect(&navigator, &Navigator::viewRequested, this, [this](const QString& id) { raiseView(id); });
    // the timeline shows the place: a view that has all room must not hide it
    connect(&navigator, &Navigator::placeRequested, this, [this] {
        m_cameFrom = QApplication::focusWidget();
        if (isMaximised() && findChild<QDockWidget*>(u"timeline"_s)->isHidden()) {
            endMaximised();
        }
    });
}

void Workbench::addDocks(Navigator& navigator)
{
    std::map<Place, QDockWidget*> first;
    for (const ViewEntry* entry : allViews()) {
        auto* const dock = new QDockWidget(QString::fromLatin1(entry->title), this);
        dock->setObjectName(QString::fromLatin1(entry->id));
        View* const view = entry->create(navigator, dock);
        dock->setWidget(scrolled(view, dock));
        m_views.push_back(view);
        m_docks.push_back(dock);
        const auto [place, fresh] = first.try_emplace(entry->place, dock);
        if (fresh) {
            addDockWidget(areaOf(entry->place), dock);
        } else {
            tabifyDockWidget(place->second, dock);
        }
    }
    for (const auto& [place, dock] : first) {
        dock->raise();
    }
}

void Workbench::setSession(const Session& session)
{
    // the tab bars belong to the docks, so that they are looked up here
    for (QTabBar* const tabs : findChildren<QTabBar*>()) {
        tabs->setAccessibleName(u"Views"_s);
        tabs->setElideMode(Qt::ElideNone); // names that are cut are no names: the bar scrolls
        tabs->setUsesScrollButtons(true);
    }
    for (View* const view : m_views) {
        view->setSession(session);
    }
}

bool Workbench::raiseView(const QString& id)
{
    auto* const dock = findChild<QDockWidget*>(id);
    if (dock == nullptr) {
        return false;
    }
    const bool again = isMaximised() && dock->isHidden();
    if (again) {
        endMaximised();
    }
    dock->show();
    dock->raise();
    dock->widget()->setFocus();
    if (again) {
        maximise(dock);
    }
    return true;
}

void Workbench::goBack()
{
    const auto dock = std::ranges::find_if(
        m_docks, [this](const QDockWidget* each) { return each->isAncestorOf(m_cameFrom); });
    if (m_cameFrom != nullptr && dock != m_docks.end()) {
        raiseView((*dock)->objectName());
        m_cameFrom->setFocus();
    }
}

void Workbench::toggleMaximised()
{
    isMaximised() ? endMaximised() : maximise(focusedDock());
}

void Workbench::maximise(QDockWidget* chosen)
{
    m_before = saveState(kLayoutVersion);
    for (QDockWidget* const dock : m_docks) {
        dock->setVisible(dock == chosen);
    }
    chosen->widget()->setFocus();
}

void Workbench::endMaximised()
{
    QWidget* const focused = QApplication::focusWidget();
    restoreState(std::exchange(m_before, {}), kLayoutVersion);
    if (focused != nullptr && isAncestorOf(focused)) {
        focused->setFocus();
    }
}

/// The dock with the focus, else that of the timeline.
QDockWidget* Workbench::focusedDock() const
{
    const QWidget* const focused = QApplication::focusWidget();
    const auto found = std::ranges::find_if(
        m_docks, [focused](const QDockWidget* dock) { return dock->isAncestorOf(focused); });
    return found != m_docks.end() ? *found : findChild<QDockWidget*>(u"timeline"_s);
}

void Workbench::resetLayout()
{
    m_before.clear();
    restoreState(m_usual, kLayoutVersion);
    m_isUsual = true;
    shareRoom();
}

QByteArray Workbench::layoutState() const
{
    return isMaximised() ? m_before : saveState(kLayoutVersion);
}

bool Workbench::restoreLayout(const QByteArray& state)
{
    if (!restoreState(state, kLayoutVersion)) {
        return false;
    }
    m_before.clear();
    m_isUsual = false;
    return true;
}

void Workbench::resizeEvent(QResizeEvent* event)
{
    QMainWindow::resizeEvent(event);
    if (m_isUsual && !isMaximised()) {
        shareRoom();
    }
}

void Workbench::shareRoom()
{
    const auto first = [this](Place place) {
        const auto views = allViews();
        const auto entry = std::ranges::find(views, place, &ViewEntry::place);
        return m_docks[static_cast<std::size_t>(entry - views.begin())];
    };
    const auto part = [](int room, double share) { return static_cast<int>(room * share); };
    resizeDocks({first(Place::Left), first(Place::Bottom)},
                {part(height(), 1 - kBelow), part(height(), kBelow)}, Qt::Vertical);
    resizeDocks({first(Place::Left), first(Place::Right)}, {part(width(), kLeft), part(width(), 1 - kLeft)},
                Qt::Horizontal);
}

} // namespace ringside::gui
