// SPDX-License-Identifier: Apache-2.0
#include "document/why_graph.h"

#include <algorithm>
#include <utility>

namespace ringside::document {
namespace {

using Box = BoxPicture::Box;
using Point = BoxPicture::Point;

constexpr double kColumnGap = 46;
constexpr double kBoxGap = 12;

Box boxOf(const WhyGraph::Node& node, std::size_t column, double y)
{
    Box box;
    box.x = BoxPicture::kBorder + static_cast<double>(column) * (BoxPicture::kBoxWidth + kColumnGap);
    box.y = y;
    box.place = node.place;
    box.add(node.title);
    for (const std::string& text : node.texts) {
        box.add(text);
    }
    return box;
}

/// From the left border of a box to the right border of another one.
BoxPicture::Arrow arrowOf(const Box& from, const Box& to)
{
    constexpr double kGap = 3;
    const Point begin{from.x - kGap, from.y + from.height / 2};
    const Point end{to.x + BoxPicture::kBoxWidth + kGap, to.y + to.height / 2};
    return {begin, {(begin.x + end.x) / 2, (begin.y + end.y) / 2}, end};
}

using Arrows = std::vector<std::pair<std::size_t, std::size_t>>; ///< from and to, as indices of boxes

/// Places a part and what explains it beside each other, in the middle of the higher one of both. Returns
/// where they end.
double placePart(const WhyGraph& graph, std::size_t part, double top, BoxPicture& picture, Arrows& arrows)
{
    const std::size_t own = picture.boxes.size();
    picture.boxes.push_back(boxOf(graph.parts[part], 1, top));
    arrows.emplace_back(own, 0);
    double bottom = top;
    for (const WhyGraph::Cause& cause : graph.causes) {
        if (cause.part == part) {
            arrows.emplace_back(picture.boxes.size(), own);
            picture.boxes.push_back(boxOf(cause.node, 2, bottom > top ? bottom + kBoxGap : top));
            bottom = picture.boxes.back().y + picture.boxes.back().height;
        }
    }
    const double height = std::max(picture.boxes[own].height, bottom - top);
    picture.boxes[own].y += (height - picture.boxes[own].height) / 2;
    for (std::size_t i = own + 1; i < picture.boxes.size(); ++i) {
        picture.boxes[i].y += (height - (bottom - top)) / 2;
    }
    return top + height;
}

std::string lineOf(const WhyGraph::Node& node)
{
    std::string line = node.title;
    for (const std::string& text : node.texts) {
        line += "; " + text;
    }
    return line;
}

} // namespace

BoxPicture pictureOf(const WhyGraph& graph)
{
    BoxPicture picture;
    picture.boxes.push_back(boxOf(graph.verdict, 0, BoxPicture::kBorder));
    Arrows arrows;
    double bottom = BoxPicture::kBorder - kBoxGap;
    for (std::size_t part = 0; part < graph.parts.size(); ++part) {
        bottom = placePart(graph, part, bottom + kBoxGap, picture, arrows);
    }
    Box& verdict = picture.boxes.front();
    verdict.origin = true;
    verdict.y = std::max(verdict.y, (BoxPicture::kBorder + bottom - verdict.height) / 2);
    picture.height = std::max(bottom, verdict.y + verdict.height) + BoxPicture::kBorder;
    for (const auto& [from, to] : arrows) {
        picture.arrows.push_back(arrowOf(picture.boxes[from], picture.boxes[to]));
    }
    const std::size_t columns = graph.causes.empty() ? 2 : 3;
    picture.width = 2 * BoxPicture::kBorder + static_cast<double>(columns) * BoxPicture::kBoxWidth +
                    static_cast<double>(columns - 1) * kColumnGap;
    return picture;
}

std::vector<std::string> whyLines(const WhyGraph& graph)
{
    std::vector<std::string> lines{lineOf(graph.verdict)};
    for (std::size_t part = 0; part < graph.parts.size(); ++part) {
        lines.push_back(lineOf(graph.parts[part]));
        for (const WhyGraph::Cause& cause : graph.causes) {
            if (cause.part == part) {
                lines.push_back("explained by " + lineOf(cause.node));
            }
        }
    }
    return lines;
}

} // namespace ringside::document
