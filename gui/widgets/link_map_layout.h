// SPDX-License-Identifier: GPL-3.0-or-later
// Where the boxes of hosts, their ports and the lines between them are in the map of links; without a window.
// Few hosts form a ring, more a grid. Of more than kMostBoxes hosts, those with faults and then those that
// exchanged most have boxes; the last box stands for all others. Likewise, at most kMostLines lines are
// drawn.
#pragma once
#include "report/host_map.h"

#include <QPainterPath>
#include <QRectF>

#include <vector>

namespace ringside::gui {

/// Returns the worst fault. Without a fault, it is ok only if all are: what was not measured may not look
/// well.
[[nodiscard]] report::Health joined(const std::vector<report::Health>& parts);

struct MapChip {
    QRectF box;
    std::vector<std::size_t> ports; ///< of the host; several: there is no room for a chip of each
    report::Health health = report::Health::NotMeasured;
};

struct MapBox {
    QRectF box;
    std::vector<std::size_t> hosts; ///< indices into HostMap::hosts; several: those that are summed up
    std::vector<MapChip> chips;     ///< empty if hosts are summed up
    report::Health health = report::Health::NotMeasured; ///< of all ports
};

/// What two boxes exchanged, in both directions.
struct MapLine {
    std::size_t from = 0, to = 0;         ///< indices into LinkMapLayout::boxes, from < to
    std::vector<std::size_t> connections; ///< indices into HostMap::connections, the worst first
    std::int64_t bytes = 0;               ///< determines the width
    report::Health health = report::Health::NotMeasured;
    double width = 1;
    QPainterPath path;
};

struct LinkMapLayout {
    static constexpr std::size_t kMostBoxes = 64;
    static constexpr std::size_t kMostLines = 256;

    std::vector<MapBox> boxes;
    std::vector<MapLine> lines; ///< those with faults last, so that they are painted on top
    std::size_t linesLeftOut = 0;
    bool isRing = false;
    double height = 0;
};

/// Lays out the map for a width in pixels, with text lines of a height.
[[nodiscard]] LinkMapLayout layOut(const report::HostMap& map, double width, double textHeight);

} // namespace ringside::gui
