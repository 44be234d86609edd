// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/timeline_widget.h"

#include "app/text.h"

#include <QAction>
#include <QHelpEvent>
#include <QLoggingCategory>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <cmath>

namespace ringside::gui {
namespace {

using namespace Qt::StringLiterals;
using timeline::Direction;
using timeline::SpanId;

Q_LOGGING_CATEGORY(lcTimeline, "ringside.timeline", QtWarningMsg)

constexpr double kZoomStep = 1.25;
constexpr double kPanStep = 0.15;
constexpr double kMargin = 0.25;
constexpr int kNearPixels = 3;

} // namespace

TimelineWidget::TimelineWidget(QWidget* parent) : QAbstractScrollArea(parent)
{
    setAccessibleName(u"Timeline"_s);
    setAccessibleDescription(u"All ranks on one clock. W and S zoom, A and D move, F shows everything."_s);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFrameShape(QFrame::NoFrame);
    viewport()->setMouseTracking(true);
    connect(verticalScrollBar(), &QScrollBar::valueChanged, viewport(), qOverload<>(&QWidget::update));
    addKeys();
}

void TimelineWidget::setSession(const Session& session)
{
    const bool sameRun = m_session.report == session.report && ready();
    m_session = session;
    m_scene.selected.reset();
    m_scene.meeting.reset();
    if (!ready()) {
        m_layout = {};
        return;
    }
    if (!sameRun) {
        m_shown = {};
        m_scene.marked.clear();
        m_scene.evidence.reset();
        m_scene.range.reset();
        m_zoom.reset(framed(m_session.timeline->extent, 0.0, m_session.timeline->extent));
    }
    relayout();
    if (m_wanted) {
        const auto wanted = std::exchange(m_wanted, std::nullopt);
        showPlace(wanted->first, wanted->second);
    }
    announce();
}

/// After every change of what is visible.
void TimelineWidget::announce()
{
    viewport()->update();
    qCDebug(lcTimeline) << "shows" << visible().start << visible().end;
    emit visibleChanged(visible());
}

void TimelineWidget::showTime(const Interval& visible, ZoomHistory::Step step)
{
    if (!ready()) {
        return;
    }
    m_zoom.change(framed(visible, 0.0, m_zoom.limits()), step);
    announce();
}

void TimelineWidget::showPlace(const Interval& time, const std::vector<std::int64_t>& ranks)
{
    if (!ready()) {
        m_wanted = {time, ranks};
        return;
    }
    m_scene.marked.clear();
    const std::vector<model::Rank>& all = m_session.report->model.ranks;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (std::ranges::find(ranks, all[i].rank) != ranks.end()) {
            m_scene.marked.insert(i);
        }
    }
    m_scene.evidence = time;
    const auto meeting =
        m_session.timeline->meetingsIn(framed(time, 0.0, m_zoom.limits()), time.length() + 1);
    m_scene.meeting = meeting.empty() ? std::nullopt : std::optional(meeting.front());
    showTime(framed(time, kMargin, m_zoom.limits()));
    if (!m_scene.marked.empty()) {
        scrollToRank(*m_scene.marked.begin());
    }
}

void TimelineWidget::select(const std::optional<SpanId>& span)
{
    m_scene.selected = span;
    m_scene.meeting = span ? timeline::meetingOf(*m_session.timeline, *span) : std::nullopt;
    viewport()->update();
    emit selectionChanged();
}

bool TimelineWidget::find(const QString& text, Direction direction)
{
    if (!ready()) {
        return false;
    }
    const Interval& now = visible();
    const std::int64_t from = m_scene.selected ? m_session.timeline->span(*m_scene.selected).time.start
                              : direction == Direction::Forward ? now.start - 1
                                                                : now.end;
    const auto found =
        timeline::findSpan(m_session.report->model, *m_session.timeline, text.toStdString(), from, direction);
    if (!found) {
        return false;
    }
    const timeline::Track& track = m_session.timeline->tracks[found->track];
    if (m_layout.rowOf(found->track, found->lane) == nullptr) {
        m_shown.open.insert(track.rank);
        relayout();
    }
    select(found);
    ensureVisible(m_session.timeline->span(*found).time);
    if (const Row* const row = m_layout.rowOf(found->track, found->lane)) {
        verticalScrollBar()->setValue(row->y - tracks().height() / 2);
    }
    return true;
}

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
    addKey(u"Zoom in"_s, u"Show less time around the middle"_s, {Qt::Key_W, Qt::Key_Plus},
           [this] { zoomBy(1 / kZoomStep); });
    addKey(u"Zoom out"_s, u"Show more time"_s, {Qt::Key_S, Qt::Key_Minus}, [this] { zoomBy(kZoomStep); });
    addKey(u"Move to earlier"_s, u"Move the picture by a part of its width"_s, {Qt::Key_A, Qt::Key_Left},
           [this] { panBy(-kPanStep); });
    addKey(u"Move to later"_s, u"Move the picture by a part of its width"_s, {Qt::Key_D, Qt::Key_Right},
           [this] { panBy(kPanStep); });
    addKey(u"Scroll up"_s, u"To the ranks above"_s, {Qt::Key_Up}, [scrollBy] { scrollBy(-2); });
    addKey(u"Scroll down"_s, u"To the ranks below"_s, {Qt::Key_Down}, [scrollBy] { scrollBy(2); });
    addKey(u"Show everything"_s, u"The whole run; the selection, if there is one"_s, {Qt::Key_F},
           [this] { fit(); });
    addKey(u"Previous collective"_s, u"The one before, on all ranks"_s, {Qt::Key_BracketLeft},
           [this] { toMeeting(Direction::Backward); });
    addKey(u"Next collective"_s, u"The one after, on all ranks"_s, {Qt::Key_BracketRight},
           [this] { toMeeting(Direction::Forward); });
    addKey(u"Previous span"_s, u"The one before the selected one, in its line"_s, {Qt::Key_Comma},
           [this] { toNeighbour(Direction::Backward); });
    addKey(u"Next span"_s, u"The one after the selected one, in its line"_s, {Qt::Key_Period},
           [this] { toNeighbour(Direction::Forward); });
    addKey(u"Undo zoom"_s, u"Back to what was visible before"_s, {Qt::Key_Backspace}, [this] { undo(); });
    addKey(u"Find"_s, u"A kernel, call or range by a part of its name"_s, {Qt::Key_Slash},
           [this] { emit findWanted(); });
    addKey(u"Host threads"_s, u"Show or hide threads and launches of all ranks"_s, {Qt::Key_H}, [this] {
        m_shown.hostTracks = !m_shown.hostTracks;
        relayout();
    });
    addKey(u"Select nothing"_s, u"Drop the selection and marks"_s, {Qt::Key_Escape}, [this] {
        m_scene.range.reset();
        m_scene.evidence.reset();
        m_scene.marked.clear();
        select(std::nullopt);
    });
}

void TimelineWidget::relayout()
{
    m_layout = layOut(m_session.report->model, *m_session.timeline, m_shown);
    const int page = tracks().height();
    verticalScrollBar()->setRange(0, std::max(0, m_layout.height - page));
    verticalScrollBar()->setPageStep(page);
    verticalScrollBar()->setSingleStep(20);
    viewport()->update();
}

/// Repeated within a short time, it is one gesture.
ZoomHistory::Step TimelineWidget::gesture(int kind)
{
    constexpr qint64 kApartMs = 600;
    const bool same = kind == m_lastKind && m_lastGesture.isValid() && m_lastGesture.elapsed() < kApartMs;
    m_lastKind = kind;
    m_lastGesture.start();
    return same ? ZoomHistory::Step::Same : ZoomHistory::Step::New;
}

void TimelineWidget::zoomBy(double factor, std::optional<std::int64_t> anchorNs)
{
    const std::int64_t middle = visible().start + visible().length() / 2;
    showTime(zoomed(visible(), factor, anchorNs.value_or(middle), m_zoom.limits()), gesture(0));
}

void TimelineWidget::panBy(double share)
{
    const auto delta = std::llround(share * static_cast<double>(visible().length()));
    showTime(panned(visible(), delta, m_zoom.limits()), gesture(1));
}

void TimelineWidget::fit()
{
    const bool selectionShown = m_scene.selected && framed(m_session.timeline->span(*m_scene.selected).time,
                                                           kMargin, m_zoom.limits()) == visible();
    if (m_scene.selected && !selectionShown) {
        showTime(framed(m_session.timeline->span(*m_scene.selected).time, kMargin, m_zoom.limits()));
    } else {
        showTime(m_zoom.limits());
    }
}

void TimelineWidget::undo()
{
    if (m_zoom.undo()) {
        m_lastKind = -1;
        announce();
    }
}

void TimelineWidget::toMeeting(Direction direction)
{
    const timeline::Timeline& all = *m_session.timeline;
    const std::int64_t from = m_scene.meeting ? all.meetings[*m_scene.meeting].lastArrivalNs
                                              : visible().start + visible().length() / 2;
    const auto next = direction == Direction::Forward ? all.nextMeeting(from) : all.previousMeeting(from);
    if (!next) {
        return;
    }
    m_scene.selected.reset();
    m_scene.meeting = next;
    ensureVisible({all.meetings[*next].firstArrivalNs, all.meetings[*next].endNs});
    viewport()->update();
    emit selectionChanged();
}

void TimelineWidget::toNeighbour(Direction direction)
{
    if (!m_scene.selected) {
        return;
    }
    SpanId next = *m_scene.selected;
    const std::size_t size = m_session.timeline->laneOf(next).size();
    if (direction == Direction::Forward ? next.index + 1 < size : next.index > 0) {
        next.index += direction == Direction::Forward ? 1 : std::size_t(-1);
        select(next);
        ensureVisible(m_session.timeline->span(next).time);
    }
}

/// Moves as little as needed; zooms only where it does not fit.
void TimelineWidget::ensureVisible(const Interval& time)
{
    const Interval& now = visible();
    if (time.start >= now.start && time.end <= now.end) {
        return;
    }
    if (time.length() > now.length()) {
        showTime(framed(time, kMargin, m_zoom.limits()));
        return;
    }
    const std::int64_t middle = time.start + time.length() / 2;
    showTime(panned(now, middle - (now.start + now.length() / 2), m_zoom.limits()), gesture(2));
}

void TimelineWidget::scrollToRank(std::size_t rank)
{
    if (const auto extent = m_layout.extentOf(rank)) {
        const int page = tracks().height();
        const int value = verticalScrollBar()->value();
        if (extent->first < value || extent->second > value + page) {
            verticalScrollBar()->setValue((extent->first + extent->second - page) / 2);
        }
    }
}

std::int64_t TimelineWidget::timeAt(double x) const
{
    return xToTime(x - tracks().left(), visible(), tracks().width());
}

std::optional<SpanId> TimelineWidget::spanAt(const QPoint& position) const
{
    if (!ready() || !tracks().contains(position)) {
        return std::nullopt;
    }
    const Row* const row = m_layout.rowAt(position.y() - tracks().top() + verticalScrollBar()->value());
    if (row == nullptr || !row->track) {
        return std::nullopt;
    }
    const std::int64_t slack = nsPerPixel(visible(), tracks().width()) * kNearPixels;
    const auto index =
        m_session.timeline->tracks[*row->track].lanes[row->lane].at(timeAt(position.x()), slack);
    return index ? std::optional(SpanId{*row->track, row->lane, *index}) : std::nullopt;
}

QString TimelineWidget::tipAt(const QPoint& position) const
{
    const auto span = spanAt(position);
    if (!span) {
        return {};
    }
    const timeline::Description text =
        timeline::describe(m_session.report->model, *m_session.timeline, *span);
    QString html = u"<b>"_s + toHtml(text.title) + u"</b><table>"_s;
    for (const auto& [what, value] : text.lines) {
        html += u"<tr><td>"_s + toHtml(what) + u"&nbsp;&nbsp;</td><td>"_s + toHtml(value) + u"</td></tr>"_s;
    }
    return html + u"</table>"_s;
}

bool TimelineWidget::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* const help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), tipAt(help->pos()), viewport());
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void TimelineWidget::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(viewport());
    const Theme& theme = themeOf(palette());
    if (!ready()) {
        painter.fillRect(viewport()->rect(), theme.base);
        painter.setPen(theme.dim);
        painter.drawText(viewport()->rect(), Qt::AlignCenter,
                         m_session.report ? u"Building the timeline"_s : QString());
        return;
    }
    m_scene.model = &m_session.report->model;
    m_scene.timeline = m_session.timeline.get();
    m_scene.layout = &m_layout;
    m_scene.theme = &theme;
    m_scene.visible = visible();
    m_scene.scroll = verticalScrollBar()->value();
    m_painter.paint(painter, m_scene, viewport()->size());
    if (m_layout.rows.empty() || m_session.timeline->spans() == 0) {
        painter.setPen(theme.dim);
        painter.drawText(tracks(), Qt::AlignCenter,
                         u"Nothing with a time was recorded: no steps, calls or device work."_s);
    }
}

void TimelineWidget::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    if (ready()) {
        relayout();
    }
}

void TimelineWidget::wheelEvent(QWheelEvent* event)
{
    if (!ready()) {
        return;
    }
    constexpr double kNotch = 120;
    const double notches = event->angleDelta().y() / kNotch;
    const double sideways = event->angleDelta().x() / kNotch;
    if (event->modifiers().testFlag(Qt::ControlModifier)) {
        verticalScrollBar()->setValue(verticalScrollBar()->value() - static_cast<int>(notches * 60));
    } else if (event->modifiers().testFlag(Qt::ShiftModifier)) {
        panBy(-(notches + sideways) * kPanStep);
    } else if (notches != 0 && event->position().x() < tracks().left()) {
        verticalScrollBar()->setValue(verticalScrollBar()->value() - static_cast<int>(notches * 60));
    } else if (notches != 0) {
        zoomBy(std::pow(kZoomStep, -notches), timeAt(event->position().x()));
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
    if (m_drag == Drag::None || (moved.manhattanLength() < kDragPixels && m_lastKind == -1)) {
        return;
    }
    if (m_drag == Drag::Range) {
        const auto [start, end] = std::minmax({timeAt(m_pressed.x()), timeAt(event->position().x())});
        m_scene.range = Interval{start, end};
        m_lastKind = 4;
        viewport()->update();
        emit selectionChanged();
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
    m_drag = Drag::None;
    m_lastKind = -1;
    if (click) {
        clickAt(event->position().toPoint());
    }
}

void TimelineWidget::clickAt(const QPoint& position)
{
    const Row* const row = m_layout.rowAt(position.y() - tracks().top() + verticalScrollBar()->value());
    if (position.x() < tracks().left() && row != nullptr && row->kind == Row::Kind::Rank) {
        if (m_shown.open.erase(row->rank) == 0) {
            m_shown.open.insert(row->rank);
        }
        relayout();
        return;
    }
    m_scene.range.reset();
    select(spanAt(position));
}

void TimelineWidget::changeEvent(QEvent* event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        viewport()->update();
    }
}

} // namespace ringside::gui
