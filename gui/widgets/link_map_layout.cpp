// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/link_map_layout.h"

#include "base/theme.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

namespace ringside::gui {
namespace {

using report::Health;
using report::HostMap;

constexpr double kInside = 8;
constexpr double kChip = 16;
constexpr double kBetweenChips = 3;

bool isFault(Health health)
{
    return health == Health::Warning || health == Health::Problem;
}

/// Returns the joined health of those ports of the hosts that `wanted` is true for.
template <class Wanted>
Health portHealth(const HostMap& map, const std::vector<std::size_t>& hosts, const Wanted& wanted)
{
    std::vector<Health> parts;
    for (const std::size_t host : hosts) {
        const std::vector<report::MapPort>& ports = map.hosts[host].ports;
        for (std::size_t i = 0; i < ports.size(); ++i) {
            if (wanted(i)) {
                parts.push_back(ports[i].health);
            }
        }
    }
    return joined(parts);
}

Health healthOf(const HostMap& map, const std::vector<std::size_t>& hosts)
{
    return portHealth(map, hosts, [](std::size_t) { return true; });
}

/// How much a host or line matters if there is no room for all: whether it has a fault, then its bytes.
using Weight = std::pair<bool, std::int64_t>;

std::vector<Weight> weightsOf(const HostMap& map, const std::vector<std::size_t>& positionOf)
{
    std::vector<Weight> weights(map.hosts.size());
    for (std::size_t i = 0; i < map.hosts.size(); ++i) {
        weights[i].first = isFault(healthOf(map, {i}));
    }
    for (const report::Connection& each : map.connections) {
        for (const std::size_t host : {each.traffic.sender, each.traffic.receiver}) {
            Weight& weight = weights[positionOf[host]];
            weight.first = weight.first || isFault(each.health);
            weight.second = model::addCapped(weight.second, each.traffic.bytes);
        }
    }
    return weights;
}

/// Returns the position in HostMap::hosts of each of Model::hosts that has ranks.
std::vector<std::size_t> positionsOf(const HostMap& map)
{
    std::vector<std::size_t> positions;
    for (std::size_t i = 0; i < map.hosts.size(); ++i) {
        positions.resize(std::max(positions.size(), map.hosts[i].host + 1));
        positions[map.hosts[i].host] = i;
    }
    return positions;
}

/// Returns the hosts of each box, in the map's order; the rest is in the last box.
std::vector<MapBox> boxesOf(const HostMap& map, const std::vector<std::size_t>& positionOf)
{
    std::vector<std::size_t> order(map.hosts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::size_t single =
        order.size() > LinkMapLayout::kMostBoxes ? LinkMapLayout::kMostBoxes - 1 : order.size();
    if (single < order.size()) {
        const std::vector<Weight> weights = weightsOf(map, positionOf);
        std::ranges::stable_sort(order, std::greater{}, [&](std::size_t host) { return weights[host]; });
    }
    const auto rest = order.begin() + static_cast<std::ptrdiff_t>(single);
    std::sort(order.begin(), rest);
    std::sort(rest, order.end());
    std::vector<MapBox> boxes;
    for (auto host = order.begin(); host != rest; ++host) {
        boxes.push_back({{}, {*host}, {}, healthOf(map, {*host})});
    }
    if (rest != order.end()) {
        const std::vector<std::size_t> others(rest, order.end());
        boxes.push_back({{}, others, {}, healthOf(map, others)});
    }
    return boxes;
}

/// Puts a chip for each port into the lowest line of its box; the last one stands for those without room.
void addChips(const HostMap& map, MapBox& box)
{
    if (box.hosts.size() != 1) {
        return;
    }
    const std::vector<report::MapPort>& ports = map.hosts[box.hosts.front()].ports;
    const auto room =
        static_cast<std::size_t>((box.box.width() - 2 * kInside + kBetweenChips) / (kChip + kBetweenChips));
    for (std::size_t i = 0; i < ports.size(); ++i) {
        if (i < room) {
            box.chips.push_back(
                {QRectF(box.box.left() + kInside + static_cast<double>(i) * (kChip + kBetweenChips),
                        box.box.bottom() - kInside / 2 - kChip, kChip, kChip),
                 {},
                 Health::NotMeasured});
        }
        box.chips.back().ports.push_back(i);
    }
    for (MapChip& chip : box.chips) {
        chip.health = portHealth(map, box.hosts, [&](std::size_t port) {
            return std::ranges::find(chip.ports, port) != chip.ports.end();
        });
    }
}

void placeRing(LinkMapLayout& layout, double width, const QSizeF& box)
{
    constexpr double kHeightOfFew = 3; // in boxes
    constexpr double kHeightOfMany = 4.6;
    const std::size_t count = layout.boxes.size();
    layout.height = count == 1  ? box.height() + 2 * kInside
                    : count < 5 ? box.height() * kHeightOfFew + 2 * kInside
                                : box.height() * kHeightOfMany + 2 * kInside;
    const QPointF middle(width / 2, layout.height / 2);
    const double across =
        count == 1 ? 0 : std::max(0.0, std::min(width, 900.0) / 2 - box.width() / 2 - kInside);
    const double down = std::max(0.0, layout.height / 2 - box.height() / 2 - kInside);
    // two lie beside each other, four in the corners, the others from the top on
    const double first = count == 2   ? std::numbers::pi
                         : count == 4 ? -3 * std::numbers::pi / 4
                                      : -std::numbers::pi / 2 - std::numbers::pi / static_cast<double>(count);
    for (std::size_t i = 0; i < count; ++i) {
        const double angle =
            first + 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(count);
        layout.boxes[i].box =
            QRectF(middle.x() + across * std::cos(angle) - box.width() / 2,
                   middle.y() + down * std::sin(angle) - box.height() / 2, box.width(), box.height());
    }
}

void placeGrid(LinkMapLayout& layout, double width, const QSizeF& box)
{
    constexpr double kBetweenBoxes = 30; // in which lines are seen
    const auto columns = static_cast<std::size_t>(
        std::max(1.0, std::floor((width - 2 * kInside + kBetweenBoxes) / (box.width() + kBetweenBoxes))));
    for (std::size_t i = 0; i < layout.boxes.size(); ++i) {
        const std::size_t row = i / columns;
        const std::size_t column = i % columns;
        layout.boxes[i].box = QRectF(kInside + static_cast<double>(column) * (box.width() + kBetweenBoxes),
                                     kInside + static_cast<double>(row) * (box.height() + kBetweenBoxes),
                                     box.width(), box.height());
    }
    layout.height = layout.boxes.back().box.bottom() + kInside;
}

bool overlaps(const std::vector<MapBox>& boxes)
{
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        for (std::size_t k = i + 1; k < boxes.size(); ++k) {
            if (boxes[i].box.adjusted(-2, -2, 2, 2).intersects(boxes[k].box)) {
                return true;
            }
        }
    }
    return false;
}

void placeBoxes(LinkMapLayout& layout, double width, double textHeight)
{
    constexpr std::size_t kMostInRing = 8;
    constexpr int kWideInRing = 176;
    constexpr int kWideInGrid = 108;
    if (layout.boxes.size() <= kMostInRing) {
        placeRing(layout, width, {1.0 * scaled(kWideInRing), 2 * textHeight + kChip + 2 * kInside});
        layout.isRing = !overlaps(layout.boxes);
    }
    if (!layout.isRing) {
        placeGrid(layout, width, {1.0 * scaled(kWideInGrid), textHeight + kChip + 2 * kInside});
    }
}

std::vector<MapLine> linesOf(const HostMap& map, const LinkMapLayout& layout,
                             const std::vector<std::size_t>& positionOf)
{
    std::vector<std::size_t> boxOf(map.hosts.size());
    for (std::size_t box = 0; box < layout.boxes.size(); ++box) {
        for (const std::size_t host : layout.boxes[box].hosts) {
            boxOf[host] = box;
        }
    }
    std::map<std::pair<std::size_t, std::size_t>, MapLine> lines;
    for (std::size_t i = 0; i < map.connections.size(); ++i) {
        const report::Connection& each = map.connections[i];
        const auto [from, to] =
            std::minmax({boxOf[positionOf[each.traffic.sender]], boxOf[positionOf[each.traffic.receiver]]});
        if (from != to) {
            MapLine& line = lines[{from, to}];
            line.from = from;
            line.to = to;
            line.connections.push_back(i);
            line.bytes = model::addCapped(line.bytes, each.traffic.bytes);
        }
    }
    std::vector<MapLine> result;
    for (auto& [ends, line] : lines) {
        std::vector<Health> parts;
        std::ranges::transform(line.connections, std::back_inserter(parts),
                               [&](std::size_t i) { return map.connections[i].health; });
        line.health = joined(parts);
        std::ranges::stable_sort(line.connections, std::greater{},
                                 [&](std::size_t i) { return map.connections[i].health; });
        result.push_back(std::move(line));
    }
    return result;
}

/// In a grid, a line to a box further away is bent, to the right or down, so that it does not hide under
/// those between.
QPainterPath pathOf(const QRectF& from, const QRectF& to, bool isRing)
{
    constexpr double kBend = 0.07; // of the length
    constexpr double kClear = 14;
    const QPointF way = to.center() - from.center();
    const double length = std::hypot(way.x(), way.y());
    const bool near = std::max(std::abs(way.x()) / from.width(), std::abs(way.y()) / from.height() / 2) < 1.5;
    const double least = way.y() == 0   ? from.height() / 2 + kClear
                         : way.x() == 0 ? from.width() / 2 + kClear
                                        : 0;
    const double bend = isRing || near ? 0 : std::max(kBend * length, least);
    const QPointF aside = way.y() > 0 ? QPointF(way.y(), -way.x()) : QPointF(-way.y(), way.x());
    QPainterPath path(from.center());
    path.quadTo((from.center() + to.center()) / 2 + aside * (2 * bend / std::max(1.0, length)), to.center());
    return path;
}

void addLines(const HostMap& map, LinkMapLayout& layout, const std::vector<std::size_t>& positionOf)
{
    constexpr double kWidest = 6;
    constexpr double kNarrowest = 1.5;
    std::vector<MapLine> lines = linesOf(map, layout, positionOf);
    const auto weight = [](const MapLine& line) { return Weight{isFault(line.health), line.bytes}; };
    std::ranges::stable_sort(lines, std::less{}, weight);
    layout.linesLeftOut =
        lines.size() > LinkMapLayout::kMostLines ? lines.size() - LinkMapLayout::kMostLines : 0;
    lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(layout.linesLeftOut));
    const std::int64_t most = lines.empty() ? 0 : std::ranges::max(lines, {}, &MapLine::bytes).bytes;
    for (MapLine& line : lines) {
        line.path = pathOf(layout.boxes[line.from].box, layout.boxes[line.to].box, layout.isRing);
        line.width =
            most > 0
                ? std::max(kNarrowest, kWidest * static_cast<double>(line.bytes) / static_cast<double>(most))
                : kNarrowest;
        layout.height = std::max(layout.height, line.path.boundingRect().bottom() + kInside);
    }
    layout.lines = std::move(lines);
}

} // namespace

Health joined(const std::vector<Health>& parts)
{
    const Health worst = parts.empty() ? Health::NotMeasured : std::ranges::max(parts);
    const bool unknown = std::ranges::find(parts, Health::NotMeasured) != parts.end();
    return worst == Health::Ok && unknown ? Health::NotMeasured : worst;
}

LinkMapLayout layOut(const HostMap& map, double width, double textHeight)
{
    LinkMapLayout layout;
    if (map.hosts.empty()) {
        return layout;
    }
    const std::vector<std::size_t> positionOf = positionsOf(map);
    layout.boxes = boxesOf(map, positionOf);
    placeBoxes(layout, width, textHeight);
    for (MapBox& box : layout.boxes) {
        addChips(map, box);
    }
    addLines(map, layout, positionOf);
    return layout;
}

} // namespace ringside::gui
