// SPDX-License-Identifier: Apache-2.0
// A drawing of boxes with texts and of arrows between them, in units of a pixel. Places are computed here, so
// that the HTML page and the desktop program draw the same picture.
#pragma once
#include "document/table.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace ringside::document {

struct BoxPicture {
    struct Point {
        double x = 0;
        double y = 0;
    };
    struct Box {
        double x = 0; ///< of the upper left corner
        double y = 0;
        double height = 0;
        bool origin = false;            ///< what the picture leads to: drawn with a strong border
        std::vector<std::string> lines; ///< the first one is bold
        std::string whole;              ///< all that is known, where lines were cut
        std::optional<Place> place;     ///< a moment that shows it
        /// Appends a text, broken into lines that fit; the last one is cut. An empty one adds nothing.
        void add(const std::string& text);
    };
    /// A curve from one border to another, whose control point is `bend`; its head is at `to`.
    struct Arrow {
        Point from, bend, to;
        [[nodiscard]] std::array<Point, 3> head() const; ///< its corners, the tip first
    };
    static constexpr double kBoxWidth = 280;
    static constexpr double kLineHeight = 16;
    static constexpr double kMargin = 8; ///< between a box and its text
    static constexpr double kBorder = 6; ///< around the picture
    double width = 0;
    double height = 0;
    std::vector<Box> boxes;
    std::vector<Arrow> arrows;
};

} // namespace ringside::document
