// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/timeline_widget.h"

#include "base/text.h"
#include "timeline/collective_details.h"
#include "timeline/stored_marks.h"
#include "values/text.h"

#include <QAction>
#include <QLoggingCategory>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QSettings>

#include <algorithm>
#include <cmath>

namespace ringside::gui {
namespace {

using namespace Qt::StringLiterals;
using timeline::Direction;
using timeline::SpanId;

Q_LOGGING_CATEGORY(lcTimeline, "ringside.timeline", QtWarningMsg)

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
    m_scene.byFamily = QSettings().value(QLatin1StringView(kByFamily), false).toBool();
}

void TimelineWidget::setSession(const Session& session)
{
    const bool sameReport = m_session.report == session.report && ready();
    if (ready() && !sameReport) {
        m_scene.visible = visible();
        m_scene.scroll = verticalScrollBar()->value();
        m_kept.emplace(m_session, m_shown, m_scene);
    }
    m_session = session;
    forgetSpans();
    if (!ready()) {
        m_layout = {};
        return;
    }
    const auto kept = std::exchange(m_kept, std::nullopt);
    const bool again = kept && kept->paths() == m_session.paths;
    if (!sameReport) {
        const model::Model& model = m_session.report->model;
        const Interval limits = framed(m_session.timeline->extent, 0.0, m_session.timeline->extent);
        m_shown = again ? kept->shownIn(model) : Shown{};
        m_marks = storedMarks(m_session.paths, m_session.timeline->extent);
        const bool byFamily = m_scene.byFamily;
        m_scene = {};
        m_scene.byFamily = byFamily;
        m_scene.marks = m_marks.times();
        m_painter = {};
        if (again) {
            m_zoom.extend(limits, framed(kept->visibleIn(limits), 0.0, limits));
            kept->restore(m_scene, model);
        } else {
            m_zoom.reset(limits);
            m_searching = {};
        }
    }
    relayout();
    if (again) {
        verticalScrollBar()->setValue(kept->scroll());
        if (const auto span = kept->selectedIn(m_session)) {
            select(span);
        }
        const bool holds = !m_searching.rank || kept->hasRanksOf(m_session.report->model);
        startSearch(holds ? m_searching : timeline::SearchRequest(), std::nullopt);
    }
    if (m_wanted) {
        const auto wanted = std::exchange(m_wanted, std::nullopt);
        showPlace(wanted->first, wanted->second);
    }
    announce();
}

/// What refers to the timeline that was there before.
void TimelineWidget::forgetSpans()
{
    ++m_searches;
    m_hits.reset();
    m_hitNumber = 0;
    m_scene.hits = nullptr;
    m_scene.selected.reset();
    m_scene.collective.reset();
    m_scene.launch.reset();
}

/// Called after every change of the visible range.
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
    // A hang lasts longer than what was recorded: then its beginning is shown.
    const Interval& limits = m_zoom.limits();
    const Interval recorded{std::clamp(time.start, limits.start, limits.end),
                            std::clamp(time.end, limits.start, limits.end)};
    const auto collective = m_session.timeline->collectivesIn(recorded, recorded.length() + 1);
    m_scene.collective = collective.empty() ? std::nullopt : std::optional(collective.front());
    showTime(framed(recorded, kMargin, limits));
    if (!m_scene.marked.empty()) {
        scrollToRank(*m_scene.marked.begin());
    }
}

void TimelineWidget::select(const std::optional<SpanId>& span)
{
    m_scene.selected = span;
    m_scene.collective = span ? timeline::collectiveOf(*m_session.timeline, *span) : std::nullopt;
    m_scene.launch.reset();
    if (span) {
        const model::Model& model = m_session.report->model;
        const auto launch = timeline::launchOf(model, *m_session.timeline, *span);
        const auto work = timeline::workOf(model, *m_session.timeline, *span);
        m_scene.launch = launch ? std::optional(Scene::Launch{*launch, *span})
                         : work ? std::optional(Scene::Launch{*span, *work})
                                : std::nullopt;
    }
    viewport()->update();
    emit selectionChanged();
}

void TimelineWidget::toOtherEnd()
{
    if (const auto launch = m_scene.launch) {
        reveal(m_scene.selected == launch->call ? launch->work : launch->call);
    }
}

void TimelineWidget::setRange(const std::optional<Interval>& range)
{
    m_scene.range = range;
    viewport()->update();
    emit selectionChanged();
}

/// Returns null while the mouse is not over the tracks.
std::optional<std::int64_t> TimelineWidget::timeOfMouse() const
{
    const QPoint mouse = viewport()->mapFromGlobal(QCursor::pos());
    const bool over = ready() && viewport()->underMouse() && tracks().contains(mouse);
    return over ? std::optional(timeAt(mouse.x())) : std::nullopt;
}

/// Adds a mark at the selection, else at the mouse, else in the middle. Removes the mark that is there
/// already.
void TimelineWidget::toggleMark()
{
    const std::int64_t at = m_scene.selected ? m_session.timeline->span(*m_scene.selected).time.start
                                             : timeOfMouse().value_or(middle());
    m_marks.toggle(at, nsPerPixel(visible(), tracks().width()) * kNearPixels);
    storeMarks(m_session.paths, m_marks);
    m_scene.marks = m_marks.times();
    viewport()->update();
    emit selectionChanged();
}

void TimelineWidget::toMark(Direction direction)
{
    const std::int64_t now = middle();
    const auto next = direction == Direction::Forward ? m_marks.after(now) : m_marks.before(now);
    if (next) {
        showMoment(*next);
    }
}

void TimelineWidget::showMoment(std::int64_t timeNs)
{
    if (ready()) {
        showTime(panned(visible(), timeNs - middle(), m_zoom.limits()), gesture(5));
    }
}

/// Selects the span, opens its rank and scrolls to it.
void TimelineWidget::reveal(const SpanId& span)
{
    const std::size_t rank = m_session.timeline->tracks[span.track].rank;
    const Row* const before = m_layout.rowOf(span.track, span.lane);
    if (before == nullptr || before->kind == Row::Kind::Strip) {
        m_shown.expanded.insert(rank);
        m_shown.hidden.erase(rank);
        relayout();
    }
    if (m_layout.rowOf(span.track, span.lane) == nullptr) { // of a host thread
        m_shown.open.insert(rank);
        relayout();
    }
    select(span);
    ensureVisible(m_session.timeline->span(span).time);
    if (const Row* const row = m_layout.rowOf(span.track, span.lane)) {
        verticalScrollBar()->setValue(row->y - tracks().height() / 2);
    }
}

void TimelineWidget::relayout()
{
    m_layout = layOut(m_session.report->model, *m_session.timeline, m_shown);
    projectOpened();
    const int page = tracks().height();
    verticalScrollBar()->setRange(0, std::max(0, m_layout.height - page));
    verticalScrollBar()->setPageStep(page);
    verticalScrollBar()->setSingleStep(20);
    viewport()->update();
}

/// The same action within a short time continues one gesture, so that one undo reverts it.
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
    const bool rangeShown = m_scene.range && framed(*m_scene.range, 0.0, m_zoom.limits()) == visible();
    if (m_scene.range && !rangeShown) {
        showTime(*m_scene.range);
        return;
    }
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

void TimelineWidget::selectCollective(Direction direction, bool sameCommunicator)
{
    const timeline::Timeline& all = *m_session.timeline;
    std::optional<std::size_t> next;
    if (m_scene.collective && sameCommunicator) {
        next =
            timeline::neighbourInCommunicator(m_session.report->model, all, *m_scene.collective, direction);
    } else {
        const std::int64_t from = m_scene.collective ? all.collectives[*m_scene.collective].lastArrivalNs
                                                     : visible().start + visible().length() / 2;
        next = direction == Direction::Forward ? all.nextCollective(from) : all.previousCollective(from);
    }
    if (next) {
        showCollective(*next);
    }
}

void TimelineWidget::showCollective(std::size_t index)
{
    const timeline::Timeline& all = *m_session.timeline;
    const timeline::MatchedCollective& collective = all.collectives[index];
    std::optional<SpanId> last;
    for (std::size_t i = 0; i < collective.parts; ++i) {
        const timeline::Part& part = all.parts[collective.firstPart + i];
        if (part.rank == collective.lastRank) {
            const timeline::Lane& lane = all.tracks[part.track].lanes[part.lane];
            last = SpanId{part.track, part.lane, lane.firstStartingFrom(part.time.start)};
        }
    }
    ensureVisible({collective.firstArrivalNs, collective.endNs});
    m_scene.selected = last;
    m_scene.launch.reset();
    m_scene.collective = index;
    scrollToRank(collective.lastRank);
    viewport()->update();
    emit selectionChanged();
}

void TimelineWidget::showNextOf(const std::vector<std::size_t>& collectives)
{
    if (!collectives.empty()) {
        const auto now = m_scene.collective ? std::ranges::upper_bound(collectives, *m_scene.collective)
                                            : collectives.begin();
        showCollective(now == collectives.end() ? collectives.front() : *now);
    }
}

void TimelineWidget::setRankOrder(timeline::RankOrder order)
{
    if (ready()) {
        m_shown.order = timeline::orderRanks(*m_session.report, order);
        relayout();
    }
}

void TimelineWidget::setTrackFilter(const QString& text)
{
    m_shown.tracks = text.trimmed().toStdString();
    if (ready()) {
        relayout();
    }
}

void TimelineWidget::renameMark(std::int64_t timeNs, const QString& name)
{
    m_marks.rename(timeNs, name.trimmed().toStdString());
    storeMarks(m_session.paths, m_marks);
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

/// Moves as little as needed. Zooms only if the range does not fit.
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
    const Row* const row = rowAt(position);
    if (row == nullptr || !row->track) {
        return std::nullopt;
    }
    const std::int64_t slack = nsPerPixel(visible(), tracks().width()) * kNearPixels;
    const auto index = m_session.timeline->lanesOf(*row->track)[row->lane].at(timeAt(position.x()), slack);
    return index ? std::optional(SpanId{*row->track, row->lane, *index}) : std::nullopt;
}

/// Returns null outside of the tracks and between rows.
const Row* TimelineWidget::rowAt(const QPoint& position) const
{
    return ready() && tracks().contains(position)
               ? m_layout.rowAt(position.y() - tracks().top() + verticalScrollBar()->value())
               : nullptr;
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
    m_scene.hover = m_drag == Drag::None ? timeOfMouse() : std::nullopt;
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

void TimelineWidget::changeEvent(QEvent* event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        viewport()->update();
    } else if (event->type() == QEvent::FontChange && ready()) {
        relayout();
    }
}

} // namespace ringside::gui
