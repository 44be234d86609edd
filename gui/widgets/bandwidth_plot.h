// SPDX-License-Identifier: GPL-3.0-or-later
// Bus bandwidth over message size: one point for each kind and size of collective, below the known limits
// (the rate of the ports, the limit that the run's own all-reduces approach). A table beside it holds the
// figures.
#pragma once
#include "report/report.h"

#include <QWidget>

#include <memory>
#include <optional>

class QCustomPlot;

namespace ringside::gui {

class ChartLegend;

class BandwidthPlot final : public QWidget {
    Q_OBJECT
public:
    explicit BandwidthPlot(QWidget* parent = nullptr);
    /// Shows the collectives of one communicator (its hash), or of all.
    void setReport(std::shared_ptr<const report::Report> report, std::optional<std::uint64_t> communicator);
    /// Returns false if no collective has a bandwidth.
    [[nodiscard]] bool hasPoints() const { return m_points > 0; }

protected:
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;

private:
    void addPoints(const QString& name, bool transfer);
    void addLimits();
    void addLimit(const QString& name, double gbs);
    void setColours();

    std::shared_ptr<const report::Report> m_report;
    std::optional<std::uint64_t> m_communicator;
    ChartLegend* m_legend;
    QCustomPlot* m_plot;
    int m_points = 0;
};

} // namespace ringside::gui
