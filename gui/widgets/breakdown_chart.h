// SPDX-License-Identifier: GPL-3.0-or-later
// A stacked bar for each rank, or for each run of a job. A table beside it holds the figures.
#pragma once
#include "document/document.h"

#include <QWidget>

#include <vector>

namespace ringside::gui {

class BreakdownChart final : public QWidget {
    Q_OBJECT
public:
    explicit BreakdownChart(QWidget* parent = nullptr);
    void setChart(document::BarChart chart);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;

private:
    void measureTexts();
    void paintLegend(QPainter& painter) const;
    void paintBar(QPainter& painter, std::size_t index, int top) const;
    /// Where the entries of the legend begin: a narrow window needs two lines of them.
    [[nodiscard]] std::vector<QPoint> legendPlaces() const;
    [[nodiscard]] int legendHeight() const;
    [[nodiscard]] QString nameOf(const document::BarChart::Bar& bar) const; ///< "rank 3", "run 2"
    [[nodiscard]] int barHeight() const;
    /// `top` is legendHeight(), which takes longer than to place a bar.
    [[nodiscard]] QRect barOf(std::size_t index, int top) const;
    [[nodiscard]] QRect roomOf(std::size_t index, int top) const; ///< of the bar and of the texts beside it

    document::BarChart m_chart;
    double m_longestNs = 1;
    int m_left = 0;  ///< room for the names beside the bars
    int m_right = 0; ///< room for their lengths
};

} // namespace ringside::gui
