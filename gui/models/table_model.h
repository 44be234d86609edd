// SPDX-License-Identifier: GPL-3.0-or-later
// A table of the analyzer for any item view, and the same in the order of its values.
#pragma once
#include "report/table.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

namespace ringside::gui {

class TableModel final : public QAbstractTableModel {
public:
    using QAbstractTableModel::QAbstractTableModel;
    void setTable(report::Table table);
    /// Nothing where a row is shorter than the header.
    [[nodiscard]] const report::Cell& cell(const QModelIndex& index) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

private:
    report::Table m_table;
    std::vector<bool> m_right; ///< by column: aligned right
    report::Cell m_nothing;
};

/// Sorts by the cells' values. Its source is a TableModel.
class SortedTableModel final : public QSortFilterProxyModel {
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

protected:
    [[nodiscard]] bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
};

} // namespace ringside::gui
