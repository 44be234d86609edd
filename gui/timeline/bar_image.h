// SPDX-License-Identifier: GPL-3.0-or-later
// The bars and sample lines of what is visible as pixels of one picture. Written by hand, because a paint
// engine takes a tenth of a microsecond and more for each rectangle, and most are a pixel wide.
#pragma once
#include "app/theme.h"
#include "timeline/lane.h"
#include "timeline/sample_lines.h"

#include <QImage>

#include <vector>

namespace ringside::gui {

class BarImage final {
public:
    /// Clears it. `size` as the painter counts; `ratio` device pixels make one of those.
    void begin(const QSize& size, double ratio, const Theme& theme);
    /// A stripe over the whole width. `y` and `height` as the painter counts, here and below.
    void fill(int y, int height, const QColor& colour);
    /// `bars` by start; where several share a pixel, the longest shows.
    void add(const std::vector<timeline::Bar>& bars, const model::Interval& visible, int y, int height);
    /// A step line over its area, from 0 at the bottom to `line.most` on top; gaps stay empty.
    void add(const timeline::SampleLine& line, const model::Interval& visible, int y, int height,
             const QColor& colour);
    [[nodiscard]] const QImage& image() const { return m_image; }

private:
    struct Run {
        int left = 0;
        int right = 0; ///< behind its last pixel
        std::int64_t longestNs = 0;
        timeline::SpanKind kind = timeline::SpanKind::Step;
        bool begins = true; ///< in what is visible
    };
    struct Lines {
        int first = 0;
        int last = 0; ///< behind
    };
    [[nodiscard]] Lines linesOf(int y, int height) const;
    void findRuns(const std::vector<timeline::Bar>& bars, const model::Interval& visible);
    void paintLine(QRgb* line) const;
    void hatch(const Run& run, const Lines& lines);
    [[nodiscard]] QRgb* line(int y) { return reinterpret_cast<QRgb*>(m_image.scanLine(y)); }

    QImage m_image;
    double m_ratio = 1;
    QRgb m_base = 0;
    std::array<QRgb, timeline::kSpanKinds> m_colours{};
    std::vector<Run> m_runs; ///< of the line being added
};

} // namespace ringside::gui
