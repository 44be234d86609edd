// SPDX-License-Identifier: GPL-3.0-or-later
// The search of the timeline: finds in the background, and goes from hit to hit.
#include "timeline/hit_table.h"
#include "timeline/timeline_widget.h"

namespace ringside::gui {

using timeline::Direction;

TimelineWidget::~TimelineWidget()
{
    ++m_searches; // the search that runs is given up
    m_closing = true;
}

void TimelineWidget::find(const timeline::SearchRequest& request, Direction direction)
{
    if (m_hits && m_hits->request == request) {
        toHit(direction);
        return;
    }
    m_hits.reset();
    m_hitNumber = 0;
    m_scene.hits = nullptr;
    viewport()->update();
    startSearch(request, direction);
}

/// Without a direction, spans are only marked.
void TimelineWidget::startSearch(const timeline::SearchRequest& request, std::optional<Direction> direction)
{
    m_searching = request;
    const std::uint64_t mine = ++m_searches;
    if (!ready() || request.text.empty()) {
        emit hitsChanged();
        return;
    }
    m_searcher = std::jthread([this, session = m_session, request, direction, mine] {
        auto found = std::make_shared<const timeline::Hits>(timeline::search(
            session.report->model, *session.timeline, request, [this, mine] { return m_searches != mine; }));
        QMetaObject::invokeMethod(
            this,
            [this, found, direction, mine] {
                if (m_searches == mine) {
                    m_hits = found;
                    m_scene.hits = found.get();
                    viewport()->update();
                    direction ? toHit(*direction) : emit hitsChanged();
                }
            },
            Qt::QueuedConnection);
    });
}

/// The next hit after the selection, else after the begin of what is visible; after the last one, the first.
void TimelineWidget::toHit(Direction direction)
{
    const Interval& now = visible();
    const std::int64_t from = m_scene.selected ? m_session.timeline->span(*m_scene.selected).time.start
                              : direction == Direction::Forward ? now.start - 1
                                                                : now.end;
    std::optional<std::size_t> place;
    if (m_hitNumber > 0 && m_scene.selected == m_hits->spans[m_hits->byTime[m_hitNumber - 1]]) {
        const std::size_t count =
            m_hits->byTime.size(); // several hits may start at once: by number, not time
        place = (m_hitNumber - 1 + (direction == Direction::Forward ? 1 : count - 1)) % count;
    } else {
        place = m_hits->nearest(*m_session.timeline, from, direction);
    }
    if (place) {
        showHit(*place);
    } else {
        m_hitNumber = 0;
        emit hitsChanged();
    }
}

void TimelineWidget::showHit(std::size_t place)
{
    m_hitNumber = place + 1;
    reveal(m_hits->spans[m_hits->byTime[place]]);
    emit hitsChanged();
}

void TimelineWidget::zoomToHit(std::size_t place)
{
    constexpr double kRoom = 2; // of the hit's length, on both sides
    if (m_hits == nullptr || place >= m_hits->byTime.size()) {
        return; // the list is of a search that has ended
    }
    showHit(place);
    const Interval time = timeline::timeOf(*m_session.timeline, m_hits->spans[m_hits->byTime[place]]);
    showTime(framed(time, kRoom, m_zoom.limits()));
}

} // namespace ringside::gui
