// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the visible bars and sample lines into one picture, pixel by pixel. A paint engine takes 0.1 us and
// more for each rectangle, and most bars are one pixel wide.
#pragma once
#include "base/theme.h"
#include "timeline/coverage.h"
#include "timeline/sample_lines.h"

#include <QImage>

#include <functional>
#include <optional>
#include <vector>

namespace ringside::gui {

class BarImage final {
public:
    /// Clears the picture. `size` is in logical pixels; `ratio` is the number of device pixels in one of
    /// them.
    void begin(const QSize& size, double ratio, const Theme& theme);
    /// Fills a stripe over the whole width. `y` and `height` are logical pixels, here and below.
    void fill(int y, int height, const QColor& colour);
    using Shares = std::vector<timeline::ByKind<float>>; ///< of each device pixel (timeline/coverage.h)
    /// Draws `bars`, which are sorted by start, and below them what every pixel is covered with: a single
    /// bar with room for edges is drawn in full; of all others, the height stands for the share of the
    /// pixel's time, and in lines with little height the strength of the colour does.
    /// `colourOf` may give bars another colour than their kind's. Of several within a pixel, the longest one
    /// decides for all of its kind.
    using ColourOf = std::function<std::optional<QRgb>(const timeline::Bar&)>;
    void add(const std::vector<timeline::Bar>& bars, const Shares& shares, const model::Interval& visible,
             int y, int height, const ColourOf& colourOf = {});
    /// Draws only what every pixel is covered with.
    void add(const Shares& shares, int y, int height);
    /// Draws a step line and the area below it, from 0 at the bottom to `line.most` at the top. Gaps stay
    /// empty.
    void add(const timeline::SampleLine& line, const model::Interval& visible, int y, int height,
             const QColor& colour);
    [[nodiscard]] const QImage& image() const { return m_image; }

private:
    struct Run {
        int left = 0;
        int right = 0; ///< one past its last pixel
        timeline::SpanKind kind = timeline::SpanKind::Step;
        QRgb colour = 0;
        bool begins = true; ///< the bar begins in the visible range
    };
    struct Lines {
        int first = 0;
        int last = 0; ///< one past the last pixel
    };
    [[nodiscard]] Lines linesOf(int y, int height) const;
    using Colours = std::array<QRgb, timeline::kSpanKinds>;
    void colourPixels(const std::vector<timeline::Bar>& bars, const model::Interval& visible,
                      const ColourOf& colourOf);
    void findRuns(const std::vector<timeline::Bar>& bars, const model::Interval& visible,
                  const ColourOf& colourOf);
    void paintStack(const timeline::ByKind<float>& shares, std::size_t x);
    [[nodiscard]] QRgb mixOf(const timeline::ByKind<float>& shares, std::size_t x) const;
    [[nodiscard]] int pixelOf(std::int64_t timeNs, const model::Interval& visible) const;
    [[nodiscard]] const Colours& coloursAt(std::size_t x) const
    {
        return m_pixels.empty() ? m_colours : m_pixels[x];
    }
    void paintLine(QRgb* line) const;
    void hatch(const Run& run, const Lines& lines);
    [[nodiscard]] QRgb* line(int y) { return reinterpret_cast<QRgb*>(m_image.scanLine(y)); }

    QImage m_image;
    double m_ratio = 1;
    QRgb m_base = 0;
    Colours m_colours{};
    /// Red, green and blue: mixing takes most of a frame of hundreds of ranks.
    using Parts = std::array<float, 3>;
    Parts m_baseParts{};
    std::array<Parts, timeline::kSpanKinds> m_colourParts{};
    std::vector<QRgb> m_mixed;     ///< of the line that is being drawn
    std::vector<QRgb*> m_below;    ///< the lines that it takes, the lowest first
    std::vector<Colours> m_pixels; ///< of the line that is being drawn, by pixel; empty: m_colours
    std::vector<Run> m_runs;       ///< of the line that is being drawn
};

} // namespace ringside::gui
