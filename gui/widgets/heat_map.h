// SPDX-License-Identifier: GPL-3.0-or-later
// Colours for a figure of ranks (down) and steps (across). If several cells share a pixel, it shows the
// largest value.
#pragma once
#include "models/step_figures.h"

#include <QImage>
#include <QWidget>

#include <memory>
#include <optional>

namespace ringside::gui {

class HeatMap final : public QWidget {
    Q_OBJECT
public:
    explicit HeatMap(QWidget* parent = nullptr);
    struct Cell {
        std::size_t rank = 0; ///< index into RunMetrics::ranks
        std::size_t step = 0; ///< index into its steps
    };
    /// Returns for example "rank 2, step 7: lateness at collectives, ms 5.02".
    [[nodiscard]] QString textOf(const Cell& cell) const;
    void setFigures(std::shared_ptr<const report::Report> report, const StepFigure& figure);

signals:
    void cellChosen(std::size_t rank, std::size_t step); ///< indices into RunMetrics::ranks and its steps

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] QRect map() const;
    [[nodiscard]] std::optional<Cell> cellAt(const QPoint& position) const;
    void choose(const Cell& cell);
    [[nodiscard]] QString valueText(double value) const;
    void paintScale(QPainter& painter) const;
    [[nodiscard]] QImage image(const QSize& size) const;
    [[nodiscard]] std::size_t ranks() const { return m_values.size(); }
    [[nodiscard]] std::size_t steps() const { return m_values.empty() ? 0 : m_report->metrics.stepCount(); }

    std::shared_ptr<const report::Report> m_report;
    StepFigure m_figure{};
    StepValues m_values; ///< empty: not measured
    double m_least = 0;
    double m_most = 1;
    std::optional<Cell> m_chosen;
};

} // namespace ringside::gui
