// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/bar_image.h"

#include <algorithm>
#include <cmath>

namespace ringside::gui {
namespace {

using timeline::SpanKind;

/// Mixes a quarter of `colour` into `base`.
QRgb blend(QRgb colour, QRgb base)
{
    const auto mix = [](int a, int b) { return (a + 3 * b) / 4; };
    return qRgb(mix(qRed(colour), qRed(base)), mix(qGreen(colour), qGreen(base)),
                mix(qBlue(colour), qBlue(base)));
}

std::array<float, 3> partsOf(QRgb colour)
{
    return {static_cast<float>(qRed(colour)), static_cast<float>(qGreen(colour)),
            static_cast<float>(qBlue(colour))};
}

constexpr int kParted = 4; ///< pixels: from this width on, bars get a gap between them and waiting is hatched
constexpr int kStacked = 6;       ///< pixels: in lower lines, kinds are mixed instead of stacked
constexpr float kFaintest = 0.3F; ///< of its colour: work is never too faint to be seen

} // namespace

void BarImage::begin(const QSize& size, double ratio, const Theme& theme)
{
    const QSize pixels(static_cast<int>(std::ceil(size.width() * ratio)),
                       static_cast<int>(std::ceil(size.height() * ratio)));
    if (m_image.size() != pixels) {
        m_image = QImage(pixels, QImage::Format_RGB32);
    }
    m_ratio = ratio;
    m_image.setDevicePixelRatio(ratio);
    m_base = theme.base.rgb();
    std::ranges::transform(theme.spans, m_colours.begin(), [](const QColor& colour) { return colour.rgb(); });
    m_baseParts = partsOf(m_base);
    std::ranges::transform(m_colours, m_colourParts.begin(), partsOf);
    m_image.fill(m_base);
}

BarImage::Lines BarImage::linesOf(int y, int height) const
{
    const auto pixel = [this](int at) {
        return std::clamp(static_cast<int>(std::lround(at * m_ratio)), 0, m_image.height());
    };
    return {pixel(y), pixel(y + height)};
}

void BarImage::fill(int y, int height, const QColor& colour)
{
    const Lines lines = linesOf(y, height);
    for (int at = lines.first; at < lines.last; ++at) {
        std::fill_n(line(at), m_image.width(), colour.rgb());
    }
}

void BarImage::add(const std::vector<timeline::Bar>& bars, const Shares& shares,
                   const model::Interval& visible, int y, int height, const ColourOf& colourOf)
{
    const Lines lines = linesOf(y, height);
    if (lines.first >= lines.last || visible.length() == 0) {
        return;
    }
    if (colourOf) {
        colourPixels(bars, visible, colourOf);
    }
    add(shares, y, height);
    m_pixels.clear();
    findRuns(bars, visible, colourOf);
    for (int at = lines.first; at < lines.last; ++at) {
        paintLine(line(at));
    }
    for (const Run& run : m_runs) {
        if (run.kind == SpanKind::Wait) {
            hatch(run, lines);
        }
    }
}

void BarImage::add(const Shares& shares, int y, int height)
{
    const Lines lines = linesOf(y, height);
    const std::size_t width = std::min(static_cast<std::size_t>(m_image.width()), shares.size());
    m_below.clear();
    for (int at = lines.last; at > lines.first; --at) {
        m_below.push_back(line(at - 1));
    }
    if (lines.last - lines.first >= kStacked) {
        for (std::size_t x = 0; x < width; ++x) {
            paintStack(shares[x], x);
        }
        return;
    }
    m_mixed.resize(width);
    for (std::size_t x = 0; x < width; ++x) {
        m_mixed[x] = mixOf(shares[x], x);
    }
    for (QRgb* const pixels : m_below) {
        std::ranges::copy(m_mixed, pixels);
    }
}

/// Draws the kinds above each other. If all together are less than a line high, the last line gets a mix.
void BarImage::paintStack(const timeline::ByKind<float>& shares, std::size_t x)
{
    const auto height = static_cast<float>(m_below.size());
    float top = 0;
    std::size_t done = 0;
    for (std::size_t kind = 0; kind < shares.size(); ++kind) {
        if (shares[kind] > 0) {
            top += shares[kind] * height;
            for (const auto to = static_cast<std::size_t>(std::lround(std::min(height, top))); done < to;
                 ++done) {
                m_below[done][x] = coloursAt(x)[kind];
            }
        }
    }
    if (top > 0 && done == 0) {
        m_below.front()[x] = mixOf(shares, x);
    }
}

/// Mixes the kinds' colours with that of the background, by their shares.
QRgb BarImage::mixOf(const timeline::ByKind<float>& shares, std::size_t x) const
{
    float sum = 0;
    for (const float share : shares) {
        sum += share;
    }
    if (sum <= 0) {
        return m_base;
    }
    const float strength = std::clamp(sum, kFaintest, 1.0F);
    const float scale = strength / sum;
    Parts mixed;
    for (std::size_t i = 0; i < mixed.size(); ++i) {
        mixed[i] = m_baseParts[i] * (1 - strength) + 0.5F; // rounds when it is cut below
    }
    for (std::size_t kind = 0; kind < shares.size(); ++kind) {
        if (shares[kind] > 0) {
            const Parts colour = m_pixels.empty() ? m_colourParts[kind] : partsOf(m_pixels[x][kind]);
            for (std::size_t i = 0; i < mixed.size(); ++i) {
                mixed[i] += scale * shares[kind] * colour[i];
            }
        }
    }
    return qRgb(static_cast<int>(mixed[0]), static_cast<int>(mixed[1]), static_cast<int>(mixed[2]));
}

void BarImage::add(const timeline::SampleLine& line, const model::Interval& visible, int y, int height,
                   const QColor& colour)
{
    const Lines lines = linesOf(y, height);
    const int thickness = std::max(1, static_cast<int>(std::lround(m_ratio)));
    const int room = lines.last - lines.first - thickness;
    if (room <= 0) {
        return;
    }
    std::vector<QRgb*> pixels;
    for (int at = lines.first; at < lines.last; ++at) {
        pixels.push_back(this->line(at));
    }
    const double scale = room / (line.most > 0 ? line.most : 1.0);
    const auto topOf = [&](double value) { // of the line, in `pixels`
        return room - static_cast<int>(std::lround(std::clamp(value * scale, 0.0, 1.0 * room)));
    };
    const QRgb area = blend(colour.rgb(), m_base);
    std::optional<timeline::SampleColumn> before;
    int x = 0;
    for (const auto& column : timeline::columnsOf(line, visible, m_image.width())) {
        if (column) { // connects this value with the one before
            const int top = topOf(before ? std::max(column->most, before->least) : column->most);
            const int bottom =
                thickness + topOf(before ? std::min(column->least, before->most) : column->least);
            for (int at = top; at < static_cast<int>(pixels.size()); ++at) {
                pixels[static_cast<std::size_t>(at)][x] = at < bottom ? colour.rgb() : area;
            }
        }
        before = column;
        ++x;
    }
}

int BarImage::pixelOf(std::int64_t timeNs, const model::Interval& visible) const
{
    const double width = m_image.width();
    const double x =
        static_cast<double>(timeNs - visible.start) * (width / static_cast<double>(visible.length()));
    return static_cast<int>(std::lround(std::clamp(x, 0.0, width)));
}

void BarImage::colourPixels(const std::vector<timeline::Bar>& bars, const model::Interval& visible,
                            const ColourOf& colourOf)
{
    const auto width = static_cast<std::size_t>(m_image.width());
    m_pixels.assign(width, m_colours);
    std::vector<timeline::ByKind<std::int64_t>> longest(width);
    for (const timeline::Bar& bar : bars) {
        const auto kind = static_cast<std::size_t>(bar.kind);
        const auto first = static_cast<std::size_t>(pixelOf(bar.time.start, visible));
        const auto last = std::max(first + 1, static_cast<std::size_t>(pixelOf(bar.time.end, visible)));
        const auto colour = colourOf(bar);
        for (std::size_t x = first; colour && x < std::min(last, width); ++x) {
            if (bar.longestNs >= longest[x][kind]) {
                longest[x][kind] = bar.longestNs;
                m_pixels[x][kind] = *colour;
            }
        }
    }
}

void BarImage::findRuns(const std::vector<timeline::Bar>& bars, const model::Interval& visible,
                        const ColourOf& colourOf)
{
    m_runs.clear();
    for (const timeline::Bar& bar : bars) {
        Run run{pixelOf(bar.time.start, visible), pixelOf(bar.time.end, visible), bar.kind,
                m_colours[static_cast<std::size_t>(bar.kind)], bar.time.start >= visible.start};
        if (!m_runs.empty()) {
            run.left = std::max(run.left, m_runs.back().right);
        }
        if (bar.count == 1 && run.right - run.left >= kParted) {
            run.colour = colourOf ? colourOf(bar).value_or(run.colour) : run.colour;
            m_runs.push_back(run);
        }
    }
}

void BarImage::paintLine(QRgb* line) const
{
    for (const Run& run : m_runs) {
        std::fill(line + run.left, line + run.right, run.colour);
        if (run.begins) {
            line[run.left] = m_base;
        }
    }
}

/// Draws a hatch over waiting, so that its shade is not the only difference.
void BarImage::hatch(const Run& run, const Lines& lines)
{
    constexpr double kEvery = 8;
    const int period = static_cast<int>(std::lround(kEvery * m_ratio));
    const int thickness = std::max(1, static_cast<int>(std::lround(m_ratio)));
    const QRgb colour = m_colours[static_cast<std::size_t>(SpanKind::Transfer)];
    for (int y = lines.first; y < lines.last; ++y) {
        QRgb* const pixels = line(y);
        for (int x = run.left + 1; x < run.right; ++x) {
            if ((x + y) % period < thickness) {
                pixels[x] = colour;
            }
        }
    }
}

} // namespace ringside::gui
