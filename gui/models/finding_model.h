// SPDX-License-Identifier: GPL-3.0-or-later
// Item model of the findings of a report: one row for each loss, in the order of the text report. Findings
// that only restate a loss stand in its details.
#pragma once
#include "document/document.h"

#include <QAbstractTableModel>

#include <memory>
#include <vector>

namespace ringside::gui {

class FindingModel final : public QAbstractTableModel {
public:
    enum Column { kSeverity, kTitle, kCost, kRanks, kColumns };
    using QAbstractTableModel::QAbstractTableModel;
    void setDocument(std::shared_ptr<const document::Document> document);
    [[nodiscard]] const document::Finding& finding(int row) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

private:
    std::shared_ptr<const document::Document> m_document;
    std::vector<const document::Finding*> m_findings; ///< of m_document
};

/// Returns "Problem", "Warning" or "Information".
[[nodiscard]] QString severityText(trace::Severity severity);
/// Returns title, advice, cost, figures, the findings that restate it, and evidence as HTML. A link "place:N"
/// leads to evidence number N.
[[nodiscard]] QString findingHtml(const document::Finding& finding);

} // namespace ringside::gui
