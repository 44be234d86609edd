// SPDX-License-Identifier: GPL-3.0-or-later
// A table of texts as the analyzer prints it, for any item view. Sorting understands numbers.
#pragma once
#include "report/table.h"

#include <QAbstractTableModel>

namespace ringside::gui {

class TableModel final : public QAbstractTableModel {
public:
    using QAbstractTableModel::QAbstractTableModel;
    void setTable(report::Table table);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

    static constexpr int kSortRole = Qt::UserRole; ///< a number where the text begins with one

private:
    report::Table m_table;
};

} // namespace ringside::gui
