// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/table_model.h"

#include "base/text.h"

#include <QGuiApplication>
#include <QPalette>

namespace ringside::gui {

using namespace Qt::StringLiterals;

void TableModel::setTable(document::Table table, std::vector<std::string> shown)
{
    beginResetModel();
    m_table = std::move(table);
    m_shown = std::move(shown);
    m_right = document::rightAligned(m_table);
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

const document::Cell& TableModel::cell(const QModelIndex& index) const
{
    const auto& row = m_table.rows[static_cast<std::size_t>(index.row())];
    const auto column = static_cast<std::size_t>(index.column());
    return column < row.size() ? row[column] : m_nothing;
}

const document::Place* TableModel::placeOf(int row) const
{
    const auto number = static_cast<std::size_t>(row);
    return number < m_table.places.size() && m_table.places[number] ? &*m_table.places[number] : nullptr;
}

/// The whole text, why there is none, and where a click leads.
QString TableModel::toolTip(const QModelIndex& index) const
{
    const document::Cell& each = cell(index);
    const document::Place* const place = placeOf(index.row());
    return toQt(each.reason().empty() ? document::cellText(each) : each.reason()) +
           (place == nullptr ? QString() : QString(u"\nA click shows "_s + toQt(place->text)));
}

QVariant TableModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid()) {
        return {};
    }
    const document::Cell& each = cell(index);
    switch (role) {
    case Qt::DisplayRole:
        return toQt(isShortened(index.column()) ? m_shown[static_cast<std::size_t>(index.row())]
                                                : document::cellText(each));
    case kWholeRole:
        return toQt(document::cellText(each));
    case Qt::ToolTipRole:
        return toolTip(index);
    case Qt::ForegroundRole:
        return index.column() == 0 && placeOf(index.row()) != nullptr
                   ? QVariant(QGuiApplication::palette().link())
                   : QVariant();
    case Qt::TextAlignmentRole:
        return QVariant(Qt::AlignVCenter |
                        (m_right[static_cast<std::size_t>(index.column())] ? Qt::AlignRight : Qt::AlignLeft));
    default:
        return {};
    }
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= columnCount()) {
        return QAbstractTableModel::headerData(section, orientation, role);
    }
    return QString::fromStdString(m_table.header[static_cast<std::size_t>(section)]);
}

bool SortedTableModel::lessThan(const QModelIndex& left, const QModelIndex& right) const
{
    const auto& table = static_cast<const TableModel&>(*sourceModel());
    if (table.isShortened(left.column())) {
        return document::isLess(left.data().toString().toStdString(), right.data().toString().toStdString());
    }
    return document::isLess(table.cell(left), table.cell(right));
}

} // namespace ringside::gui
