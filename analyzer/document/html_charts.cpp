// SPDX-License-Identifier: Apache-2.0
#include "document/html_charts.h"

#include "trace/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside::document {
namespace {

constexpr int kLeft = 70;
constexpr int kWidth = 830;
constexpr int kTop = 28; // of a legend

constexpr std::string_view kHatch =
    "<defs><pattern id=\"waiting\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\"><rect class=\"wait-paper\" width=\"6\" height=\"6\"/>"
    "<line class=\"hatch\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"6\" stroke-width=\"2\"/></pattern></defs>\n";

std::string_view styleOf(Shade shade)
{
    constexpr std::string_view kStyles[] = {"compute", "wait", "communication", "copy", "idle"};
    return kStyles[static_cast<std::size_t>(shade)];
}

std::string svgHead(std::string_view label, int height)
{
    return fmt::format("<svg role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {} {}\" width=\"100%\">\n", label,
                       kLeft + kWidth, height);
}

/// Names a row beside it, where rows are high enough for each name, else every fourth.
std::string rowName(std::string_view what, std::size_t row, std::int64_t number, int y, int height, int above)
{
    return height >= 12 || row % 4 == 0 ? fmt::format("<text x=\"0\" y=\"{}\">{} {}</text>",
                                                      y + std::max(9, height - above), what, number)
                                        : std::string();
}

/// Neighbouring ranks that share a bar: each part is their mean.
struct SharedBar {
    std::int64_t first = 0;
    std::int64_t last = 0;
    BarChart::Bar mean;
};

std::vector<SharedBar> sharedBars(const BarChart& chart)
{
    const std::size_t ranks = chart.bars.size();
    const std::size_t rows = std::min(HeatMap::kMostRows, ranks);
    std::vector<SharedBar> shared;
    for (std::size_t row = 0; row < rows; ++row) {
        const std::size_t begin = row * ranks / rows;
        const std::size_t end = (row + 1) * ranks / rows;
        SharedBar& bar = shared.emplace_back(
            SharedBar{chart.bars[begin].rank, chart.bars[end - 1].rank, chart.bars[begin]});
        for (std::size_t i = begin + 1; i < end; ++i) {
            std::ranges::transform(bar.mean.ns, chart.bars[i].ns, bar.mean.ns.begin(), std::plus());
        }
        for (double& ns : bar.mean.ns) {
            ns /= static_cast<double>(end - begin);
        }
    }
    return shared;
}

std::string legend(const std::vector<BarChart::Part>& parts)
{
    constexpr int kSquare = 30; // with the room between two entries
    constexpr double kLetter = 6.6;
    std::string text;
    int x = kLeft;
    for (const BarChart::Part& part : parts) {
        text += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"4\" width=\"12\" height=\"12\"/>"
                            "<text x=\"{}\" y=\"14\">{}</text>\n",
                            styleOf(part.shade), x, x + 17, part.name);
        x += kSquare + static_cast<int>(kLetter * static_cast<double>(part.name.size()));
    }
    return text;
}

/// `perNs`: pixels.
std::string barSvg(const BarChart& chart, const SharedBar& bar, int y, int height, double perNs)
{
    const std::string ranks = bar.first == bar.last
                                  ? fmt::format("{} {}", chart.row, bar.first)
                                  : fmt::format("{}s {} to {}", chart.row, bar.first, bar.last);
    const double sum = bar.mean.sumNs();
    std::string text;
    double x = kLeft;
    for (std::size_t i = 0; i < chart.parts.size(); ++i) {
        const double width = bar.mean.ns[i] * perNs;
        text += fmt::format("<rect class=\"{}\" x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"{}\">"
                            "<title>{}: {} {:.1f} %</title></rect>",
                            styleOf(chart.parts[i].shade), x, y, width, height, ranks, chart.parts[i].name,
                            sum > 0 ? 100 * bar.mean.ns[i] / sum : 0);
        x += width;
    }
    return text + "\n";
}

/// Colours from dark blue through grey to yellow, whose lightness grows evenly: as in the desktop program.
constexpr std::array<std::string_view, 9> kHeat{"#00224e", "#213863", "#424e6b", "#606571", "#7d7c78",
                                                "#9d9673", "#bcaf6f", "#ddcb53", "#fee838"};

std::string heatScale(const HeatMap& map)
{
    constexpr int kCell = 16;
    const auto text = [](double ns) { return cellText(durationCell(std::llround(ns))); };
    std::string result =
        fmt::format("<text x=\"{}\" y=\"16\" text-anchor=\"end\">{}</text>", kLeft + 60, text(map.leastNs));
    for (std::size_t i = 0; i < kHeat.size(); ++i) {
        result += fmt::format("<rect fill=\"{}\" x=\"{}\" y=\"5\" width=\"{}\" height=\"13\"/>", kHeat[i],
                              kLeft + 68 + static_cast<int>(i) * kCell, kCell);
    }
    return result + fmt::format("<text x=\"{}\" y=\"16\">{}{}</text>\n",
                                kLeft + 74 + static_cast<int>(kHeat.size()) * kCell, text(map.mostNs),
                                map.leastNs > 0 ? " (colours begin at the least value, not at 0)" : "");
}

/// Neighbours of one colour become one rectangle.
std::string heatRow(const HeatMap& map, const HeatMap::Row& row, int y, int height)
{
    const auto colourAt = [&](std::size_t column) {
        const double share = (row.ns[column] - map.leastNs) / (map.mostNs - map.leastNs);
        return static_cast<std::size_t>(std::lround(share * static_cast<double>(kHeat.size() - 1)));
    };
    const double wide = static_cast<double>(kWidth) / static_cast<double>(row.ns.size());
    std::string text;
    for (std::size_t first = 0; first < row.ns.size();) {
        const std::size_t colour = colourAt(first);
        std::size_t next = first + 1;
        while (next < row.ns.size() && colourAt(next) == colour) {
            ++next;
        }
        text += fmt::format("<rect fill=\"{}\" x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"{}\"/>",
                            kHeat[colour], kLeft + wide * static_cast<double>(first), y,
                            wide * static_cast<double>(next - first), height);
        first = next;
    }
    return text + "\n";
}

std::string boxSvg(const BoxPicture::Box& box)
{
    std::string text = fmt::format("<g><title>{}</title><rect class=\"rank-box{}\" x=\"{:.1f}\" y=\"{:.1f}\" "
                                   "width=\"{:.0f}\" height=\"{:.0f}\" "
                                   "rx=\"5\"/>",
                                   escapedHtml(box.whole), box.origin ? " origin" : "", box.x, box.y,
                                   BoxPicture::kBoxWidth, box.height);
    double y = box.y + BoxPicture::kMargin - 4;
    for (const std::string& line : box.lines) {
        y += BoxPicture::kLineHeight;
        text += fmt::format("<text{} x=\"{:.1f}\" y=\"{:.1f}\">{}</text>",
                            &line == box.lines.data() ? " class=\"who\"" : "", box.x + BoxPicture::kMargin, y,
                            escapedHtml(line));
    }
    return text + "</g>\n";
}

int rowHeight(std::size_t rows, int least)
{
    return std::clamp(static_cast<int>(360 / std::max<std::size_t>(1, rows)), least, 18);
}

} // namespace

std::string barsSvg(const BarChart& chart)
{
    const std::vector<SharedBar> bars = sharedBars(chart);
    const int height = rowHeight(bars.size(), 5);
    const int pitch = height + (height > 10 ? 2 : 1);
    double longest = 1;
    for (const SharedBar& bar : bars) {
        longest = std::max(longest, bar.mean.sumNs());
    }
    std::string text = svgHead(chart.title, static_cast<int>(bars.size()) * pitch + kTop) + kHatch.data();
    text += legend(chart.parts);
    for (std::size_t row = 0; row < bars.size(); ++row) {
        const int y = kTop + static_cast<int>(row) * pitch;
        text += rowName(chart.row, row, bars[row].first, y, height, 4);
        text += barSvg(chart, bars[row], y, height, kWidth / longest);
    }
    return text + "</svg>\n";
}

std::string heatSvg(const HeatMap& map)
{
    const int height = rowHeight(map.rows.size(), 4);
    const int bottom = kTop + static_cast<int>(map.rows.size()) * height;
    std::string text = svgHead("Map of ranks and steps", bottom + 20) + heatScale(map);
    for (std::size_t row = 0; row < map.rows.size(); ++row) {
        const int y = kTop + static_cast<int>(row) * height;
        text += rowName("rank", row, map.rows[row].rank, y, height, 5);
        text += heatRow(map, map.rows[row], y, height);
    }
    if (map.firstStep && map.lastStep) {
        text += fmt::format("<text x=\"{}\" y=\"{}\">step {}</text>"
                            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">step {}</text>",
                            kLeft, bottom + 14, *map.firstStep, kLeft + kWidth, bottom + 14, *map.lastStep);
    }
    return text + "</svg>\n";
}

std::string escapedHtml(std::string_view text)
{
    std::string result;
    for (const char c : trace::shownText(text, ' ', "\n\t")) {
        result += c == '&'   ? "&amp;"
                  : c == '<' ? "&lt;"
                  : c == '>' ? "&gt;"
                  : c == '"' ? "&quot;"
                             : std::string(1, c);
    }
    return result;
}

std::string boxesSvg(const BoxPicture& picture, std::string_view label)
{
    std::string text =
        fmt::format("<svg role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {:.0f} {:.0f}\" width=\"100%\">\n",
                    escapedHtml(label), picture.width, picture.height);
    for (const BoxPicture::Arrow& arrow : picture.arrows) {
        const auto head = arrow.head();
        text += fmt::format("<path class=\"waits\" d=\"M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}\"/>"
                            "<path class=\"head\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}z\"/>\n",
                            arrow.from.x, arrow.from.y, arrow.bend.x, arrow.bend.y, arrow.to.x, arrow.to.y,
                            head[0].x, head[0].y, head[1].x, head[1].y, head[2].x, head[2].y);
    }
    for (const BoxPicture::Box& box : picture.boxes) {
        text += boxSvg(box);
    }
    return text + "</svg>\n";
}

std::string sharedRowsText(const BarChart& chart)
{
    return chart.bars.size() <= HeatMap::kMostRows
               ? std::string()
               : fmt::format("{} {}s share {} rows, in order: a bar is their mean, a cell of the map the "
                             "largest value among them.",
                             chart.bars.size(), chart.row, HeatMap::kMostRows);
}

} // namespace ringside::document
