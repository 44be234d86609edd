// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/table_model.h"

#include "app/text.h"

namespace ringside::gui {
namespace {

/// "12.3 %" begins with a number; null where nothing does.
QVariant leadingNumber(const QString& text)
{
    bool isNumber = false;
    const double value = text.section(QLatin1Char(' '), 0, 0).toDouble(&isNumber);
    return isNumber ? QVariant(value) : QVariant();
}

} // namespace

void TableModel::setTable(report::Table table)
{
    beginResetModel();
    m_table = std::move(table);
    endResetModel();
}

int TableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_table.rows.size());
}

int TableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_table.header.size());
}

QVariant TableModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || (role != Qt::DisplayRole && role != Qt::TextAlignmentRole && role != kSortRole &&
                             role != Qt::ToolTipRole)) {
        return {};
    }
    const auto& row = m_table.rows[static_cast<std::size_t>(index.row())];
    const auto column = static_cast<std::size_t>(index.column());
    const QString text = column < row.size() ? toQt(row[column]) : QString();
    const QVariant number = leadingNumber(text);
    if (role == Qt::TextAlignmentRole) {
        const bool right = number.isValid() || text == QLatin1String("-");
        return QVariant(Qt::AlignVCenter | (right ? Qt::AlignRight : Qt::AlignLeft));
    }
    return role == kSortRole && number.isValid() ? number : QVariant(text);
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= columnCount()) {
        return QAbstractTableModel::headerData(section, orientation, role);
    }
    return QString::fromStdString(m_table.header[static_cast<std::size_t>(section)]);
}

} // namespace ringside::gui
