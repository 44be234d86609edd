// SPDX-License-Identifier: GPL-3.0-or-later
// Chart of one sampled series over run time, above the step time on the same axis, with a table of both.
#pragma once
#include "session.h"
#include "widgets/line_plot.h"

#include <functional>

class QComboBox;

namespace ringside::gui {

class ReportTable;

class SampledCharts final : public QWidget {
    Q_OBJECT
public:
    using Wanted = std::function<bool(const metrics::SampledMetric&)>;
    SampledCharts(const QString& name, Wanted wanted, QWidget* parent = nullptr);
    void setReport(std::shared_ptr<const report::Report> report);
    /// Returns false if none of the wanted series has a value.
    [[nodiscard]] bool isMeasured() const;

private:
    void fill();

    Wanted m_wanted;
    std::shared_ptr<const report::Report> m_report;
    std::vector<metrics::SampledMetric> m_metrics; ///< measured ones first
    QComboBox* m_choice;
    LinePlot* m_values;
    LinePlot* m_steps;
    ReportTable* m_table;
};

} // namespace ringside::gui
