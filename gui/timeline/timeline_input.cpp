// SPDX-License-Identifier: GPL-3.0-or-later
// Keys, wheel and mouse of the timeline. timeline_widget.cpp holds the actions.
#include "timeline/timeline_widget.h"

#include <QAction>
#include <QMouseEvent>
#include <QScrollBar>
#include <QSettings>

#include <cmath>

namespace ringside::gui {
namespace {

using namespace Qt::StringLiterals;
using timeline::Direction;

constexpr double kZoomStep = 1.25;
constexpr double kPanStep = 0.15;
constexpr auto kWheelZooms = "timeline/wheelZooms"_L1; ///< setting: without Ctrl, the wheel zooms

} // namespace

void TimelineWidget::addKey(const QString& text, const QString& help, const QList<QKeySequence>& keys,
                            const std::function<void()>& action)
{
    auto* const each = new QAction(text, this);
    each->setShortcuts(keys);
    each->setShortcutContext(Qt::WidgetShortcut);
    each->setToolTip(help);
    each->setStatusTip(help);
    connect(each, &QAction::triggered, this, [this, action] {
        if (ready()) {
            action();
        }
    });
    addAction(each);
    m_keys.push_back(each);
}

void TimelineWidget::addKeys()
{
    const auto scrollBy = [this](int lanes) {
        verticalScrollBar()->setValue(verticalScrollBar()->value() + lanes * 20);
    };
    addKey(u"Zoom in"_s, u"Shows less time around the mouse, else around the middle"_s,
           {Qt::Key_W, Qt::Key_Plus}, [this] { zoomBy(1 / kZoomStep, timeOfMouse()); });
    addKey(u"Zoom out"_s, u"Shows more time around the mouse, else around the middle"_s,
           {Qt::Key_S, Qt::Key_Minus}, [this] { zoomBy(kZoomStep, timeOfMouse()); });
    addKey(u"Move to earlier"_s, u"Moves towards the beginning of the run"_s, {Qt::Key_A, Qt::Key_Left},
           [this] { panBy(-kPanStep); });
    addKey(u"Move to later"_s, u"Moves towards the end of the run"_s, {Qt::Key_D, Qt::Key_Right},
           [this] { panBy(kPanStep); });
    addKey(u"Scroll up"_s, u"Scrolls to the ranks above"_s, {Qt::Key_Up}, [scrollBy] { scrollBy(-2); });
    addKey(u"Scroll down"_s, u"Scrolls to the ranks below"_s, {Qt::Key_Down}, [scrollBy] { scrollBy(2); });
    addKey(u"Show everything"_s, u"Fits the chosen time or the selection; pressed again, the whole run"_s,
           {Qt::Key_F}, [this] { fit(); });
    addKey(u"Previous collective"_s, u"Selects the previous collective on all ranks"_s, {Qt::Key_BracketLeft},
           [this] { selectCollective(Direction::Backward, false); });
    addKey(u"Next collective"_s, u"Selects the next collective on all ranks"_s, {Qt::Key_BracketRight},
           [this] { selectCollective(Direction::Forward, false); });
    addKey(u"Previous collective of its communicator"_s, u"Selects the one before in the same communicator"_s,
           {Qt::Key_BraceLeft}, [this] { selectCollective(Direction::Backward, true); });
    addKey(u"Next collective of its communicator"_s, u"Selects the one after in the same communicator"_s,
           {Qt::Key_BraceRight}, [this] { selectCollective(Direction::Forward, true); });
    addKey(u"Previous span"_s, u"Selects the previous span in the same row"_s, {Qt::Key_Comma},
           [this] { toNeighbour(Direction::Backward); });
    addKey(u"Next span"_s, u"Selects the next span in the same row"_s, {Qt::Key_Period},
           [this] { toNeighbour(Direction::Forward); });
    addKey(u"Undo zoom"_s, u"Goes back to the range that was visible before"_s, {Qt::Key_Backspace},
           [this] { undo(); });
    addKey(u"Find"_s, u"Finds a kernel, call or range by a part of its name"_s, {Qt::Key_Slash},
           [this] { emit findRequested(); });
    addKey(u"Host threads"_s, u"Shows or hides threads and launches of all ranks"_s, {Qt::Key_H}, [this] {
        m_shown.hostTracks = !m_shown.hostTracks;
        relayout();
    });
    addKey(u"Samples"_s, u"Shows or hides the sampled series of all ranks and hosts"_s, {Qt::Key_L}, [this] {
        m_shown.samples = !m_shown.samples;
        relayout();
    });
    addKey(u"Collapse or expand all ranks"_s, u"Shows each rank as one strip, or its streams"_s, {Qt::Key_C},
           [this] {
               m_shown.strips = !m_shown.asStrips(m_session.report->model.ranks.size());
               m_shown.expanded.clear();
               relayout();
           });
    addKey(u"Colours by family"_s, u"Colours device work by families of kernels, or by kind"_s, {Qt::Key_K},
           [this] { setByFamily(!isByFamily()); });
    addKey(u"Choose this time"_s, u"Chooses the visible time for the table of figures (or drag with Shift)"_s,
           {Qt::Key_R}, [this] { setRange(visible()); });
    addKey(u"Launch or kernel"_s, u"Goes from device work to the call that launched it, and back"_s,
           {Qt::Key_G}, [this] { toOtherEnd(); });
    addKey(u"Mark"_s, u"Adds a mark at the selection or the mouse, or removes the mark there"_s, {Qt::Key_M},
           [this] { toggleMark(); });
    addKey(u"Name the mark"_s, u"Gives a name to the mark nearest to the middle of the view"_s,
           {Qt::SHIFT | Qt::Key_M}, [this] {
               if (const auto mark = m_marks.nearest(middle(), visible().length())) {
                   askForMarkName(*mark);
               }
           });
    addKey(u"Wheel zooms"_s, u"The wheel zooms, and scrolls with Ctrl; or the other way round"_s,
           {Qt::SHIFT | Qt::Key_W}, [] {
               QSettings settings;
               settings.setValue(kWheelZooms, !settings.value(kWheelZooms, false).toBool());
           });
    addKey(u"Next mark"_s, u"Shows the next mark after the middle of the view"_s, {Qt::Key_N},
           [this] { toMark(Direction::Forward); });
    addKey(u"Previous mark"_s, u"Shows the last mark before the middle of the view"_s,
           {Qt::SHIFT | Qt::Key_N}, [this] { toMark(Direction::Backward); });
    addKey(u"Copy"_s, u"Copies the figures of the chosen time, or the selection, as text"_s,
           QKeySequence::keyBindings(QKeySequence::Copy), [this] { emit copyRequested(); });
    addKey(u"Save picture"_s, u"Saves the visible timeline as a PNG picture"_s,
           {Qt::CTRL | Qt::SHIFT | Qt::Key_S}, [this] { emit pictureRequested(); });
    addKey(u"Select nothing"_s, u"Clears the selection, the chosen time and the marked ranks"_s,
           {Qt::Key_Escape}, [this] {
               m_scene.range.reset();
               m_scene.evidence.reset();
               m_scene.marked.clear();
               select(std::nullopt);
           });
}

void TimelineWidget::wheelEvent(QWheelEvent* event)
{
    if (!ready()) {
        return;
    }
    constexpr double kNotch = 120;
    const double notches = event->angleDelta().y() / kNotch;
    const double sideways = event->angleDelta().x() / kNotch;
    const auto modifiers = event->modifiers();
    const bool overLabels = event->position().x() < tracks().left();
    const bool zooms =
        modifiers.testFlag(Qt::ControlModifier) != QSettings().value(kWheelZooms, false).toBool();
    if (modifiers.testFlag(Qt::ShiftModifier)) {
        panBy(-(notches + sideways) * kPanStep);
    } else if (notches != 0 && zooms && !overLabels) {
        zoomBy(std::pow(kZoomStep, -notches), timeAt(event->position().x()));
    } else if (notches != 0) {
        verticalScrollBar()->setValue(verticalScrollBar()->value() - static_cast<int>(notches * 60));
    } else if (sideways != 0) {
        panBy(-sideways * kPanStep);
    }
    event->accept();
}

void TimelineWidget::mousePressEvent(QMouseEvent* event)
{
    if (!ready() || event->button() != Qt::LeftButton) {
        return;
    }
    m_pressed = event->position().toPoint();
    m_visibleBefore = visible();
    m_scrollBefore = verticalScrollBar()->value();
    m_lastKind = -1;
    m_drag = event->modifiers().testFlag(Qt::ShiftModifier) ? Drag::Range : Drag::Pan;
}

void TimelineWidget::mouseMoveEvent(QMouseEvent* event)
{
    const QPoint moved = event->position().toPoint() - m_pressed;
    constexpr int kDragPixels = 4;
    if (m_drag == Drag::None) {
        viewport()->update(); // the cross-hair moves
    }
    if (m_drag == Drag::None || (moved.manhattanLength() < kDragPixels && m_lastKind == -1)) {
        return;
    }
    if (m_drag == Drag::Range) {
        const auto [start, end] = std::minmax({timeAt(m_pressed.x()), timeAt(event->position().x())});
        m_scene.range = Interval{start, end};
        m_lastKind = 4;
        viewport()->update();
        return;
    }
    const std::int64_t delta = -static_cast<std::int64_t>(std::llround(
        static_cast<double>(moved.x()) / tracks().width() * static_cast<double>(m_visibleBefore.length())));
    const auto step = m_lastKind == 3 ? ZoomHistory::Step::Same : ZoomHistory::Step::New;
    m_lastKind = 3;
    showTime(panned(m_visibleBefore, delta, m_zoom.limits()), step);
    verticalScrollBar()->setValue(m_scrollBefore - moved.y());
}

void TimelineWidget::mouseReleaseEvent(QMouseEvent* event)
{
    const bool click = m_drag != Drag::None && m_lastKind == -1;
    const bool range = m_drag == Drag::Range && !click;
    m_drag = Drag::None;
    m_lastKind = -1;
    if (click) {
        clickAt(event->position().toPoint());
    } else if (range) {
        setRange(m_scene.range); // figures are computed when the drag has ended
    }
}

/// A strip becomes tracks, those become tracks with host threads, and those a strip again, where there are
/// strips.
void TimelineWidget::openFurther(std::size_t rank)
{
    const bool strips = m_shown.asStrips(m_session.report->model.ranks.size());
    if (strips && m_shown.expanded.insert(rank).second) {
        m_shown.open.erase(rank);
    } else if (m_shown.open.erase(rank) == 0) {
        m_shown.open.insert(rank);
    } else {
        m_shown.expanded.erase(rank);
    }
    relayout();
}

void TimelineWidget::clickAt(const QPoint& position)
{
    const Row* const row = m_layout.rowAt(position.y() - tracks().top() + verticalScrollBar()->value());
    if (position.x() < tracks().left() && row != nullptr &&
        (row->kind == Row::Kind::Rank || row->kind == Row::Kind::Strip)) {
        openFurther(row->rank);
        return;
    }
    m_scene.range.reset();
    select(spanAt(position));
}

} // namespace ringside::gui
