// SPDX-License-Identifier: GPL-3.0-or-later
// Item model of the findings of a report: one row each, in the report's order.
#pragma once
#include "report/report.h"

#include <QAbstractTableModel>

#include <memory>

namespace ringside::gui {

class FindingModel final : public QAbstractTableModel {
public:
    enum Column { kSeverity, kTitle, kCost, kRanks, kColumns };
    using QAbstractTableModel::QAbstractTableModel;
    void setReport(std::shared_ptr<const report::Report> report);
    [[nodiscard]] const rules::Finding& finding(int row) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

private:
    std::shared_ptr<const report::Report> m_report;
};

/// Returns "Problem", "Warning" or "Information".
[[nodiscard]] QString severityText(rules::Severity severity);
/// Returns title, advice, cost, figures and evidence as HTML. A link "place:N" leads to evidence number N.
[[nodiscard]] QString findingHtml(const rules::Finding& finding);

} // namespace ringside::gui
