// SPDX-License-Identifier: GPL-3.0-or-later
// Which line of a timeline lies where: rows from the top, in pixels. No window.
#pragma once
#include "timeline/timeline.h"

#include <limits>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace ringside::gui {

struct Row {
    enum class Kind : std::uint8_t { Rank, Lane, Host, Samples };
    static constexpr std::size_t kNoRank = std::numeric_limits<std::size_t>::max();
    Kind kind = Kind::Lane;
    std::size_t rank = kNoRank; ///< of Model::ranks; kNoRank: of a host
    /// Of a rank's row: its steps, where it has any.
    std::optional<std::size_t> track;
    std::size_t lane = 0;
    int y = 0;
    int height = 0;
    std::size_t index = 0; ///< of Model::hosts, or of Timeline::samples
};

/// What the user chose to see.
struct Shown {
    bool hostTracks = false;     ///< of every rank
    bool samples = false;        ///< of every rank and host
    std::set<std::size_t> open;  ///< ranks whose host tracks and samples are shown
    std::set<std::size_t> ranks; ///< only these; empty: all
};

struct Layout {
    std::vector<Row> rows;
    int height = 0;
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> lanes; ///< track, lane: index of its row
    /// Null between rows.
    [[nodiscard]] const Row* rowAt(int y) const;
    /// From the top of its first row to the bottom of its last one; null: not shown.
    [[nodiscard]] std::optional<std::pair<int, int>> extentOf(std::size_t rank) const;
    /// Null: not shown.
    [[nodiscard]] const Row* rowOf(std::size_t track, std::size_t lane) const;
};

[[nodiscard]] Layout layOut(const model::Model& model, const timeline::Timeline& timeline,
                            const Shown& shown);

} // namespace ringside::gui
