// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/kept_place.h"

#include <algorithm>

namespace ringside::gui {

KeptPlace::KeptPlace(const Session& session, const Shown& shown, const Scene& scene)
    : m_paths(session.paths), m_extent(session.timeline->extent), m_shown(shown), m_scene(scene)
{
    for (const model::Rank& rank : session.report->model.ranks) {
        m_ranks.push_back(rank.rank);
    }
    if (scene.selected) {
        m_selected = timeline::placeOf(session.report->model, *session.timeline, *scene.selected);
    }
    m_scene.model = nullptr;
    m_scene.timeline = nullptr;
    m_scene.layout = nullptr;
    m_scene.hits = nullptr;
}

Interval KeptPlace::visibleIn(const Interval& extent) const
{
    const Interval& before = m_scene.visible;
    const std::int64_t grown = extent.end - m_extent.end;
    if (before.end < m_extent.end) {
        return before;
    }
    return before.start <= m_extent.start ? extent : Interval{before.start + grown, before.end + grown};
}

KeptPlace::Indices KeptPlace::indicesIn(const model::Model& model, const Indices& before) const
{
    Indices now;
    for (const std::size_t index : before) {
        const auto found = std::ranges::find(model.ranks, m_ranks[index], &model::Rank::rank);
        if (found != model.ranks.end()) {
            now.insert(static_cast<std::size_t>(found - model.ranks.begin()));
        }
    }
    return now;
}

Shown KeptPlace::shownIn(const model::Model& model) const
{
    Shown shown = m_shown;
    shown.order.clear(); // by figures that have changed
    shown.open = indicesIn(model, m_shown.open);
    shown.ranks = indicesIn(model, m_shown.ranks);
    shown.expanded = indicesIn(model, m_shown.expanded);
    shown.hidden = indicesIn(model, m_shown.hidden);
    shown.pinned.clear();
    for (const std::size_t pinned : m_shown.pinned) {
        const Indices now = indicesIn(model, {pinned});
        shown.pinned.insert(shown.pinned.end(), now.begin(), now.end());
    }
    return shown;
}

void KeptPlace::restore(Scene& scene, const model::Model& model) const
{
    scene.range = m_scene.range;
    scene.evidence = m_scene.evidence;
    scene.marked = indicesIn(model, m_scene.marked);
}

bool KeptPlace::hasRanksOf(const model::Model& model) const
{
    return std::ranges::equal(model.ranks, m_ranks, {}, &model::Rank::rank);
}

std::optional<timeline::SpanId> KeptPlace::selectedIn(const Session& session) const
{
    return m_selected ? timeline::findPlace(session.report->model, *session.timeline, *m_selected)
                      : std::nullopt;
}

} // namespace ringside::gui
