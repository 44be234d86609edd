// SPDX-License-Identifier: GPL-3.0-or-later
// Bus bandwidth over message size, a point a kind and size of collective. Its figures stand in a table.
#pragma once
#include "report/report.h"

#include <QWidget>

#include <memory>

class QCustomPlot;

namespace ringside::gui {

class BandwidthPlot final : public QWidget {
    Q_OBJECT
public:
    explicit BandwidthPlot(QWidget* parent = nullptr);
    void setReport(std::shared_ptr<const report::Report> report);
    /// False: no collective has a bandwidth.
    [[nodiscard]] bool hasPoints() const { return m_points > 0; }

protected:
    void changeEvent(QEvent* event) override;

private:
    void addPoints(const QString& name, bool transfer);
    void setColours();

    std::shared_ptr<const report::Report> m_report;
    QCustomPlot* m_plot;
    int m_points = 0;
};

} // namespace ringside::gui
