// SPDX-License-Identifier: Apache-2.0
#include "document/wait_chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace ringside::document {
namespace {

using Box = BoxPicture::Box;
using Point = BoxPicture::Point;

constexpr double kPictureWidth = 900;
constexpr double kBetweenBoxes = 30; ///< boxes of a layer
constexpr double kArrowRoom = 38;    ///< room of an arrow between two layers

/// A sentence about a node: "is in read, for 35 s".
std::string doingOf(const WaitChain::Node& node)
{
    return node.does + (node.does.empty() || node.since.empty() ? "" : ", ") + node.since;
}

Box boxOf(const WaitChain& chain, std::size_t index)
{
    const WaitChain::Node& node = chain.nodes[index];
    const WaitChain::Edge* const wait = chain.waitOf(index);
    Box box;
    box.origin = chain.circle || node.layer == 0;
    box.add(node.who);
    if (wait != nullptr && !wait->call.empty()) {
        box.add(fmt::format("waits for {} in {}", wait->waitsFor, wait->call));
    }
    box.add(doingOf(node));
    return box;
}

Point middleOf(const Box& box)
{
    return {box.x + BoxPicture::kBoxWidth / 2, box.y + box.height / 2};
}

/// Where a line from the middle of the box to `towards` leaves it.
Point borderOf(const Box& box, Point towards)
{
    const Point middle = middleOf(box);
    const double dx = towards.x - middle.x;
    const double dy = towards.y - middle.y;
    constexpr double kGap = 3;
    const double across = std::abs(dx) > 0 ? (BoxPicture::kBoxWidth / 2 + kGap) / std::abs(dx) : 1e9;
    const double along = std::abs(dy) > 0 ? (box.height / 2 + kGap) / std::abs(dy) : 1e9;
    const double share = std::min({across, along, 1.0});
    return {middle.x + share * dx, middle.y + share * dy};
}

/// Layers from above to below, the origin below all.
void placeLayers(BoxPicture& picture, const WaitChain& chain)
{
    std::map<std::size_t, std::vector<std::size_t>, std::greater<>> layers;
    for (std::size_t i = 0; i < chain.nodes.size(); ++i) {
        layers[chain.nodes[i].layer].push_back(i);
    }
    double y = BoxPicture::kBorder;
    for (const auto& [layer, nodes] : layers) {
        const auto count = static_cast<double>(nodes.size());
        double x = (kPictureWidth - count * BoxPicture::kBoxWidth - (count - 1) * kBetweenBoxes) / 2;
        double height = 0;
        for (const std::size_t node : nodes) {
            Box& box = picture.boxes[node];
            box.x = x;
            box.y = y;
            x += BoxPicture::kBoxWidth + kBetweenBoxes;
            height = std::max(height, box.height);
        }
        y += height + kArrowRoom;
    }
    picture.height = y - kArrowRoom + BoxPicture::kBorder;
    for (const WaitChain::Edge& edge : chain.edges) {
        const Box& from = picture.boxes[edge.from];
        const Box& to = picture.boxes[edge.to];
        const Point begin{middleOf(from).x, from.y + from.height + 3};
        const Point end{middleOf(to).x + (middleOf(from).x - middleOf(to).x) / 4, to.y - 3};
        picture.arrows.push_back({begin, {(begin.x + end.x) / 2, (begin.y + end.y) / 2}, end});
    }
}

/// On an ellipse, two of them beside each other. Arrows bend outward.
void placeCircle(BoxPicture& picture, const WaitChain& chain)
{
    const std::size_t count = picture.boxes.size();
    double highest = 0;
    for (const Box& box : picture.boxes) {
        highest = std::max(highest, box.height);
    }
    constexpr double kApart = 20;
    const double part = 2 * std::numbers::pi / static_cast<double>(count);
    // Of an odd number, two stand beside each other at the lower end; of many, the highest stands above two.
    const double beside = count % 2 == 1 ? (BoxPicture::kBoxWidth + kApart) / (2 * std::sin(part / 2)) : 0.0;
    const double above = count > 5 ? 1 - std::cos(part) : 3.2 / static_cast<double>(count);
    const Point radius{std::max((kPictureWidth - BoxPicture::kBoxWidth) / 2 - BoxPicture::kBorder, beside),
                       count <= 2 ? 0 : (highest + kApart) / above};
    picture.width = 2 * (radius.x + BoxPicture::kBorder) + BoxPicture::kBoxWidth;
    const double room = count <= 2 ? 60 : 0; // of the arrows above and below two boxes
    const Point middle{picture.width / 2, radius.y + highest / 2 + room + BoxPicture::kBorder};
    for (std::size_t i = 0; i < count; ++i) {
        const double turn = static_cast<double>(i) / static_cast<double>(count) -
                            (count <= 2 ? 0.5 : 0.25); // the first of two stands on the left, else above
        Box& box = picture.boxes[i];
        box.x = middle.x + radius.x * std::cos(2 * std::numbers::pi * turn) - BoxPicture::kBoxWidth / 2;
        box.y = middle.y + radius.y * std::sin(2 * std::numbers::pi * turn) - box.height / 2;
        picture.height = std::max(picture.height, box.y + box.height + room / 2 + 2 * BoxPicture::kBorder);
    }
    for (const WaitChain::Edge& edge : chain.edges) {
        const Point from = middleOf(picture.boxes[edge.from]);
        const Point to = middleOf(picture.boxes[edge.to]);
        const Point half{(from.x + to.x) / 2, (from.y + to.y) / 2};
        Point bend{half.x + (half.x - middle.x) * 0.4, half.y + (half.y - middle.y) * 0.4};
        if (count <= 2) {
            bend = {half.x, half.y + (from.x < to.x ? -1 : 1) * (highest / 2 + room)};
        }
        picture.arrows.push_back(
            {borderOf(picture.boxes[edge.from], bend), bend, borderOf(picture.boxes[edge.to], bend)});
    }
}

} // namespace

const WaitChain::Edge* WaitChain::waitOf(std::size_t node) const
{
    const auto found = std::ranges::find(edges, node, &Edge::from);
    return found != edges.end() ? &*found : nullptr;
}

std::vector<std::string> waitLines(const WaitChain& chain)
{
    std::vector<std::string> lines;
    const auto add = [&](std::size_t index) {
        const WaitChain::Node& node = chain.nodes[index];
        const WaitChain::Edge* const wait = chain.waitOf(index);
        const std::string doing = doingOf(node);
        std::string line = node.who;
        if (wait != nullptr) {
            line += fmt::format(" -> {}{}{}", wait->waitsFor, wait->call.empty() ? "" : ": ", wait->call);
        }
        lines.push_back(line + (doing.empty() ? "" : (wait != nullptr ? "; " : " ") + doing));
    };
    if (chain.circle) {
        for (std::size_t i = 0; i < chain.nodes.size(); ++i) {
            add(i);
        }
    } else {
        for (std::size_t i = chain.nodes.size(); i-- > 0;) {
            add(i);
        }
    }
    if (!chain.note.empty()) {
        lines.push_back(chain.note);
    }
    return lines;
}

BoxPicture pictureOf(const WaitChain& chain)
{
    BoxPicture picture;
    picture.width = kPictureWidth;
    for (std::size_t i = 0; i < chain.nodes.size(); ++i) {
        picture.boxes.push_back(boxOf(chain, i));
    }
    if (chain.circle) {
        placeCircle(picture, chain);
    } else {
        placeLayers(picture, chain);
    }
    return picture;
}

} // namespace ringside::document
