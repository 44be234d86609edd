// SPDX-License-Identifier: GPL-3.0-or-later
// Lines over run time, with gaps where nothing was measured. A table beside it holds the figures.
#pragma once
#include "metrics/sampled_lines.h"

#include <QWidget>

class QCustomPlot;

namespace ringside::gui {

class ChartLegend;

class LinePlot final : public QWidget {
    Q_OBJECT
public:
    struct Line {
        QString name;
        std::vector<metrics::LinePoint> points;
    };
    explicit LinePlot(const QString& name, QWidget* parent = nullptr);
    /// `quantity` is the text of the axis, with its unit.
    void setLines(const QString& quantity, const std::vector<Line>& lines);
    /// Sets the visible range in seconds of run time, for example to match another plot.
    void setTimes(double from, double to);
    /// Shows the whole range of the lines.
    void showAll();

signals:
    void timesChanged(double from, double to);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;

private:
    void setColours();
    [[nodiscard]] QString textAt(double x) const;

    ChartLegend* m_legend;
    QCustomPlot* m_plot;
    QString m_quantity;
};

} // namespace ringside::gui
