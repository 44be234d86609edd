// SPDX-License-Identifier: GPL-3.0-or-later
// Item model of a report table, and a proxy that sorts it by value.
#pragma once
#include "document/table.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

namespace ringside::gui {

class TableModel final : public QAbstractTableModel {
public:
    using QAbstractTableModel::QAbstractTableModel;
    /// What the first column holds whole in tool tips, copies and CSV.
    static constexpr int kWholeRole = Qt::UserRole;

    /// `shown`: what the first column shows instead of its texts, by row; empty: those.
    void setTable(document::Table table, std::vector<std::string> shown = {});
    [[nodiscard]] const document::Table& table() const { return m_table; }
    /// Returns whether the cells of a column are aligned right, as numbers are.
    [[nodiscard]] bool isNumeric(int column) const { return m_right[static_cast<std::size_t>(column)]; }
    /// Returns whether a column shows other texts than its cells'.
    [[nodiscard]] bool isShortened(int column) const { return column == 0 && !m_shown.empty(); }
    /// The moment that shows a row; null: it has none.
    [[nodiscard]] const document::Place* placeOf(int row) const;
    /// Returns an empty cell if the row is shorter than the header.
    [[nodiscard]] const document::Cell& cell(const QModelIndex& index) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

private:
    [[nodiscard]] QString toolTip(const QModelIndex& index) const;
    document::Table m_table;
    std::vector<std::string> m_shown; ///< of the first column, by row; empty: its cells
    std::vector<bool> m_right;        ///< by column: true if its cells are aligned right
    document::Cell m_nothing;
};

/// Sorts by the cells' values, not by their texts. Its source must be a TableModel.
class SortedTableModel final : public QSortFilterProxyModel {
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

protected:
    [[nodiscard]] bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
};

} // namespace ringside::gui
