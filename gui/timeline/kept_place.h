// SPDX-License-Identifier: GPL-3.0-or-later
// What the user chose to see of a run, in words that also hold when the run is read again: ranks are known by
// their numbers, a span by its name and time. It needs no window.
#pragma once
#include "session.h"
#include "timeline/layout.h"
#include "timeline/painter.h"
#include "timeline/span_place.h"

#include <optional>
#include <set>
#include <vector>

namespace ringside::gui {

class KeptPlace final {
public:
    KeptPlace(const Session& session, const Shown& shown, const Scene& scene);

    [[nodiscard]] const Paths& paths() const { return m_paths; }
    [[nodiscard]] int scroll() const { return m_scene.scroll; }
    /// Returns the visible range in a run that now has this extent: it moves with the newest step if that was
    /// visible, and stays the whole run if it was.
    [[nodiscard]] Interval visibleIn(const Interval& extent) const;
    /// Returns the choice of ranks and tracks, without ranks that are no longer there.
    [[nodiscard]] Shown shownIn(const model::Model& model) const;
    /// Sets chosen times and marked ranks.
    void restore(Scene& scene, const model::Model& model) const;
    [[nodiscard]] bool hasRanksOf(const model::Model& model) const;
    [[nodiscard]] std::optional<timeline::SpanId> selectedIn(const Session& session) const;

private:
    using Indices = std::set<std::size_t>; ///< into Model::ranks
    [[nodiscard]] Indices indicesIn(const model::Model& model, const Indices& before) const;

    Paths m_paths;
    Interval m_extent;
    std::vector<std::int64_t> m_ranks; ///< numbers, by index
    Shown m_shown;
    Scene m_scene; ///< without what it refers to
    std::optional<timeline::SpanPlace> m_selected;
};

} // namespace ringside::gui
