// SPDX-License-Identifier: Apache-2.0
#include "report/html_charts.h"

#include "metrics/lateness.h"
#include "report/cell.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace ringside::report {
namespace {

constexpr int kLeft = 70;
constexpr int kWidth = 830;

struct SvgPart {
    const char* style;
    const char* words;
    std::int64_t (*ns)(const metrics::Breakdown&);
};
/// The parts sum to the step.
constexpr std::array kSvgParts = {
    SvgPart{"compute", "compute", [](const metrics::Breakdown& b) { return b.computeNs; }},
    SvgPart{"wait", "waiting for the last rank", [](const metrics::Breakdown& b) { return b.exposedWaitNs; }},
    SvgPart{"communication", "exposed communication",
            [](const metrics::Breakdown& b) { return b.exposedCommunicationNs - b.exposedWaitNs; }},
    SvgPart{"copy", "exposed copy", [](const metrics::Breakdown& b) { return b.exposedCopyNs; }},
    SvgPart{"idle", "idle", [](const metrics::Breakdown& b) { return b.idleNs; }},
};

constexpr std::string_view kHatch =
    "<defs><pattern id=\"waiting\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\"><rect class=\"wait-paper\" width=\"6\" height=\"6\"/>"
    "<line class=\"hatch\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"6\" stroke-width=\"2\"/></pattern></defs>\n";

constexpr std::size_t kMostRows = 64; // of a chart: more ranks share rows, so that the findings stay near

/// Returns where the ranks of a row begin; those of the last row end where the row after it would begin.
std::size_t firstRankOf(std::size_t row, std::size_t rows, std::size_t ranks)
{
    return row * ranks / rows;
}

/// Returns "rank 4" or, for several, "ranks 4 to 7", in the order of the report.
std::string ranksText(const Report& report, std::size_t first, std::size_t last)
{
    const auto number = [&](std::size_t index) {
        return report.model.ranks[report.metrics.ranks[index].rank].rank;
    };
    return last - first == 1 ? fmt::format("rank {}", number(first))
                             : fmt::format("ranks {} to {}", number(first), number(last - 1));
}

/// One bar per rank, as long as its analyzed steps. With more than 64 ranks, each bar is the mean of
/// neighbouring ranks.
class BreakdownBars final {
public:
    explicit BreakdownBars(const Report& report)
        : m_report(report)
        , m_rows(std::min(kMostRows, report.metrics.ranks.size()))
        , m_barHeight(std::clamp(static_cast<int>(360 / std::max<std::size_t>(1, m_rows)), 5, 18))
    {
        for (std::size_t row = 0; row < m_rows; ++row) {
            m_longestNs = std::max(m_longestNs, meanNs(row, sumOf(row).stepNs));
        }
    }

    [[nodiscard]] std::string svg() const
    {
        std::string text = fmt::format("<svg role=\"img\" aria-label=\"Device time of each rank\" "
                                       "viewBox=\"0 0 {} {}\" width=\"100%\">\n",
                                       kLeft + kWidth, static_cast<int>(m_rows) * pitch() + kLegend);
        text += kHatch;
        text += legend();
        for (std::size_t row = 0; row < m_rows; ++row) {
            text += bar(row);
        }
        return text + "</svg>\n";
    }

private:
    static constexpr int kLegend = 28;

    /// Height of a bar and the gap below it.
    [[nodiscard]] int pitch() const { return m_barHeight + (m_barHeight > 10 ? 2 : 1); }

    static std::string legend()
    {
        constexpr std::array kAt{0, 110, 310, 500, 630};
        std::string text;
        for (std::size_t i = 0; i < kSvgParts.size(); ++i) {
            const int x = kLeft + kAt[i];
            text += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"4\" width=\"12\" height=\"12\"/>"
                                "<text x=\"{}\" y=\"14\">{}</text>\n",
                                kSvgParts[i].style, x, x + 17, kSvgParts[i].words);
        }
        return text;
    }

    [[nodiscard]] std::pair<std::size_t, std::size_t> ranksOf(std::size_t row) const
    {
        const std::size_t ranks = m_report.metrics.ranks.size();
        return {firstRankOf(row, m_rows, ranks), firstRankOf(row + 1, m_rows, ranks)};
    }

    [[nodiscard]] metrics::Breakdown sumOf(std::size_t row) const
    {
        const auto [first, last] = ranksOf(row);
        metrics::Breakdown sum;
        for (std::size_t rank = first; rank < last; ++rank) {
            sum += m_report.metrics.ranks[rank].total;
        }
        return sum;
    }

    [[nodiscard]] double meanNs(std::size_t row, std::int64_t sumNs) const
    {
        const auto [first, last] = ranksOf(row);
        return static_cast<double>(sumNs) / static_cast<double>(last - first);
    }

    [[nodiscard]] std::string bar(std::size_t row) const
    {
        const metrics::Breakdown sum = sumOf(row);
        const auto [first, last] = ranksOf(row);
        const int y = kLegend + static_cast<int>(row) * pitch();
        std::string text;
        if (m_barHeight >= 12 || row % 4 == 0) {
            text += fmt::format("<text x=\"0\" y=\"{}\">{}</text>", y + std::max(9, m_barHeight - 4),
                                ranksText(m_report, first, first + 1));
        }
        double x = kLeft;
        for (const SvgPart& part : kSvgParts) {
            const std::int64_t ns = part.ns(sum);
            const double width = m_longestNs > 0 ? kWidth * meanNs(row, ns) / m_longestNs : 0;
            text += fmt::format("<rect class=\"{}\" x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"{}\">"
                                "<title>{}: {} {:.1f} %</title></rect>",
                                part.style, x, y, width, m_barHeight, ranksText(m_report, first, last),
                                part.words, 100 * sum.share(ns));
            x += width;
        }
        return text + "\n";
    }

    const Report& m_report;
    std::size_t m_rows = 0;
    int m_barHeight = 0;
    double m_longestNs = 0;
};

/// Values by rank (as RunMetrics::ranks), then by step.
using HeatValues = std::vector<std::vector<std::int64_t>>;

HeatValues heatValues(const Report& report)
{
    if (report.metrics.arrivalsMeasured()) {
        return metrics::latenessBySteps(report.model, report.metrics);
    }
    HeatValues values;
    for (const metrics::RankMetrics& rank : report.metrics.ranks) {
        std::vector<std::int64_t>& row = values.emplace_back();
        for (const metrics::Breakdown& step : rank.steps) {
            row.push_back(step.stepNs);
        }
    }
    return values;
}

/// Colours from dark blue through grey to yellow, whose lightness grows evenly: as in the desktop program.
constexpr std::array<std::string_view, 9> kHeat{"#00224e", "#213863", "#424e6b", "#606571", "#7d7c78",
                                                "#9d9673", "#bcaf6f", "#ddcb53", "#fee838"};

class HeatCells final {
public:
    explicit HeatCells(const Report& report) : m_report(report), m_values(heatValues(report))
    {
        m_columns = std::min(kMostColumns, report.metrics.stepCount());
        m_rows = std::min(kMostRows, m_values.size());
        m_least = report.metrics.arrivalsMeasured() ? 0 : std::numeric_limits<std::int64_t>::max();
        for (const auto& row : m_values) {
            for (const std::int64_t value : row) {
                m_least = std::min(m_least, value);
                m_most = std::max(m_most, value);
            }
        }
    }

    [[nodiscard]] std::string svg() const
    {
        if (m_columns < 2 || m_rows == 0 || m_most <= m_least) {
            return {};
        }
        const int height = std::clamp(static_cast<int>(360 / m_rows), 4, 18);
        std::string text = fmt::format("<svg role=\"img\" aria-label=\"Map of ranks and steps\" "
                                       "viewBox=\"0 0 {} {}\" width=\"100%\">\n",
                                       kLeft + kWidth, kTop + static_cast<int>(m_rows) * height + 20);
        text += scale();
        for (std::size_t row = 0; row < m_rows; ++row) {
            text += line(row, kTop + static_cast<int>(row) * height, height);
        }
        const auto& steps = m_report.model.analyzedSteps;
        const int below = kTop + static_cast<int>(m_rows) * height + 14;
        if (!steps.empty()) {
            text += fmt::format("<text x=\"{}\" y=\"{}\">step {}</text>"
                                "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">step {}</text>",
                                kLeft, below, steps.front(), kLeft + kWidth, below, steps.back());
        }
        return text + "</svg>\n";
    }

private:
    static constexpr std::size_t kMostColumns = 120;
    static constexpr int kTop = 28;

    [[nodiscard]] std::string scale() const
    {
        constexpr int kCell = 16;
        const auto text = [](std::int64_t ns) { return cellText(durationCell(ns)); };
        std::string result =
            fmt::format("<text x=\"{}\" y=\"16\" text-anchor=\"end\">{}</text>", kLeft + 60, text(m_least));
        for (std::size_t i = 0; i < kHeat.size(); ++i) {
            result += fmt::format("<rect fill=\"{}\" x=\"{}\" y=\"5\" width=\"{}\" height=\"13\"/>", kHeat[i],
                                  kLeft + 68 + static_cast<int>(i) * kCell, kCell);
        }
        return result + fmt::format("<text x=\"{}\" y=\"16\">{}{}</text>\n",
                                    kLeft + 74 + static_cast<int>(kHeat.size()) * kCell, text(m_most),
                                    m_least > 0 ? " (colours begin at the least value, not at 0)" : "");
    }

    /// The largest value of the ranks and steps that a cell stands for.
    [[nodiscard]] std::int64_t valueAt(std::size_t row, std::size_t column) const
    {
        const std::size_t steps = m_report.metrics.stepCount();
        std::int64_t largest = m_least;
        for (std::size_t rank = firstRankOf(row, m_rows, m_values.size());
             rank < firstRankOf(row + 1, m_rows, m_values.size()); ++rank) {
            const std::size_t last = std::min((column + 1) * steps / m_columns, m_values[rank].size());
            for (std::size_t step = column * steps / m_columns; step < last; ++step) {
                largest = std::max(largest, m_values[rank][step]);
            }
        }
        return largest;
    }

    /// Neighbours of one colour become one rectangle.
    [[nodiscard]] std::string line(std::size_t row, int y, int height) const
    {
        const auto rank = m_report.metrics.ranks[firstRankOf(row, m_rows, m_values.size())].rank;
        std::string text;
        if (height >= 12 || row % 4 == 0) {
            text += fmt::format("<text x=\"0\" y=\"{}\">rank {}</text>", y + std::max(9, height - 5),
                                m_report.model.ranks[rank].rank);
        }
        const auto colourAt = [&](std::size_t column) {
            const double share =
                static_cast<double>(valueAt(row, column) - m_least) / static_cast<double>(m_most - m_least);
            return static_cast<std::size_t>(std::lround(share * static_cast<double>(kHeat.size() - 1)));
        };
        const double wide = static_cast<double>(kWidth) / static_cast<double>(m_columns);
        for (std::size_t first = 0; first < m_columns;) {
            const std::size_t colour = colourAt(first);
            std::size_t next = first + 1;
            while (next < m_columns && colourAt(next) == colour) {
                ++next;
            }
            text += fmt::format("<rect fill=\"{}\" x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"{}\"/>",
                                kHeat[colour], kLeft + wide * static_cast<double>(first), y,
                                wide * static_cast<double>(next - first), height);
            first = next;
        }
        return text + "\n";
    }

    const Report& m_report;
    HeatValues m_values;
    std::size_t m_columns = 0;
    std::size_t m_rows = 0;
    std::int64_t m_least = 0;
    std::int64_t m_most = 0;
};

} // namespace

std::string breakdownSvg(const Report& report)
{
    return BreakdownBars(report).svg();
}

std::string sharedRowsText(const Report& report)
{
    const std::size_t ranks = report.metrics.ranks.size();
    return ranks <= kMostRows
               ? std::string()
               : fmt::format("{} ranks share {} rows, in order: a bar is their mean, a cell of the map the "
                             "largest value among them.",
                             ranks, kMostRows);
}

std::string heatSvg(const Report& report)
{
    return HeatCells(report).svg();
}

std::string heatTitle(const Report& report)
{
    return report.metrics.arrivalsMeasured() ? "How late each rank came to the collectives of each step"
                                             : "How long the steps of each rank took";
}

} // namespace ringside::report
