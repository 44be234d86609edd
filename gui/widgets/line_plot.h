// SPDX-License-Identifier: GPL-3.0-or-later
// Lines over run time, with gaps where nothing was measured. Its figures stand in a table beside it.
#pragma once
#include "metrics/sampled_lines.h"

#include <QWidget>

class QCustomPlot;

namespace ringside::gui {

class LinePlot final : public QWidget {
    Q_OBJECT
public:
    struct Line {
        QString name;
        std::vector<metrics::LinePoint> points;
    };
    explicit LinePlot(const QString& name, QWidget* parent = nullptr);
    /// `quantity` with its unit, as the axis says it.
    void setLines(const QString& quantity, const std::vector<Line>& lines);
    /// In seconds of run time; what other plots show, too.
    void setTimes(double from, double to);
    /// All that the lines have.
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

    QCustomPlot* m_plot;
    QString m_quantity;
};

} // namespace ringside::gui
