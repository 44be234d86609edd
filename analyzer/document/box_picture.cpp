// SPDX-License-Identifier: Apache-2.0
#include "document/box_picture.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace ringside::document {
namespace {

void appendLines(std::vector<std::string>& lines, const std::string& text)
{
    const std::size_t letters = lines.empty() ? 34 : 40; // of 12 px, as wide as most are; the first are bold
    constexpr int kMost = 3;
    std::istringstream wrapped(wrap(text, letters, ""));
    std::string line;
    for (int i = 0; std::getline(wrapped, line); ++i) {
        if (i == kMost) {
            lines.back() += " ...";
            return;
        }
        lines.push_back(line.size() > letters ? line.substr(0, letters - 3) + "..." : line);
    }
}

} // namespace

void BoxPicture::Box::add(const std::string& text)
{
    if (!text.empty()) {
        appendLines(lines, text);
        whole += (whole.empty() ? "" : ": ") + text;
    }
    height = static_cast<double>(lines.size()) * kLineHeight + 2 * kMargin;
}

std::array<BoxPicture::Point, 3> BoxPicture::Arrow::head() const
{
    constexpr double kLength = 10;
    constexpr double kHalfWidth = 4.5;
    const double dx = to.x - bend.x;
    const double dy = to.y - bend.y;
    const double length = std::max(1.0, std::hypot(dx, dy));
    const Point unit{dx / length, dy / length};
    const Point base{to.x - unit.x * kLength, to.y - unit.y * kLength};
    return {to, Point{base.x - unit.y * kHalfWidth, base.y + unit.x * kHalfWidth},
            Point{base.x + unit.y * kHalfWidth, base.y - unit.x * kHalfWidth}};
}

} // namespace ringside::document
