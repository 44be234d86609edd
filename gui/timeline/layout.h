// SPDX-License-Identifier: GPL-3.0-or-later
// Computes the rows of a timeline from the top, in pixels. It needs no window.
#pragma once
#include "timeline/rank_order.h"
#include "timeline/timeline.h"

#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ringside::gui {

struct Row {
    /// Strip: all that a rank did in a few pixels. Group: the title of a group of ranks.
    enum class Kind : std::uint8_t { Rank, Lane, Host, Samples, Strip, Group };
    static constexpr std::size_t kNoRank = std::numeric_limits<std::size_t>::max();
    Kind kind = Kind::Lane;
    std::size_t rank = kNoRank; ///< index into Model::ranks; kNoRank: the row belongs to a host
    /// Row of a rank: the track of its steps, if it has any.
    std::optional<std::size_t> track;
    std::size_t lane = 0;
    int y = 0;
    int height = 0;
    std::size_t index = 0; ///< index into Model::hosts, Timeline::samples or Layout::groups
};

/// What the user chose to show.
struct Shown {
    bool hostTracks = false;     ///< for all ranks
    bool samples = false;        ///< for all ranks and hosts
    std::set<std::size_t> open;  ///< ranks whose host tracks and samples are shown
    std::set<std::size_t> ranks; ///< show only these ranks; empty: all
    /// Every rank is a strip unless it is in `expanded`. Null: only in a run of more than kFewRanks ranks.
    std::optional<bool> strips = {};
    std::set<std::size_t> expanded = {};
    std::set<std::size_t> hidden = {};
    std::vector<std::size_t> pinned = {};          ///< these come first, in this order
    std::vector<timeline::OrderedRank> order = {}; ///< empty: by number
    std::string tracks = {}; ///< show only tracks whose names contain this, in upper or lower case
    static constexpr std::size_t kFewRanks = 16;
    [[nodiscard]] bool asStrips(std::size_t count) const { return strips.value_or(count > kFewRanks); }
};

struct Layout {
    std::vector<Row> rows;
    int height = 0;
    std::vector<std::string> groups;   ///< titles
    std::set<std::size_t> unprojected; ///< ranks whose projected ranges are to be shown, but not computed yet
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> lanes; ///< index of the row by track and lane
    /// Returns the row at this height, or null between rows.
    [[nodiscard]] const Row* rowAt(int y) const;
    /// Returns the top of the rank's first row and the bottom of its last row, or nothing if the rank is
    /// hidden.
    [[nodiscard]] std::optional<std::pair<int, int>> extentOf(std::size_t rank) const;
    /// Returns the row of a lane, or the strip of its rank; null if it is hidden.
    [[nodiscard]] const Row* rowOf(std::size_t track, std::size_t lane) const;
};

[[nodiscard]] Layout layOut(const model::Model& model, const timeline::Timeline& timeline,
                            const Shown& shown);

} // namespace ringside::gui
