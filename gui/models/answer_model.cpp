// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/answer_model.h"

#include "base/text.h"

#include <QFont>

namespace ringside::gui {
namespace {

bool isNull(const query::Value& value)
{
    return std::holds_alternative<std::monostate>(value);
}

QVariant sortable(const query::Value& value)
{
    if (const auto* const number = std::get_if<std::int64_t>(&value)) {
        return QVariant::fromValue<qlonglong>(*number);
    }
    if (const auto* const number = std::get_if<double>(&value)) {
        return *number;
    }
    return isNull(value) ? QVariant() : QVariant(toQt(query::valueText(value)));
}

/// Tells NULL from an empty text by an italic font.
QVariant nullFont()
{
    QFont font;
    font.setItalic(true);
    return font;
}

} // namespace

void AnswerModel::setAnswer(std::shared_ptr<const query::Answer> answer)
{
    beginResetModel();
    m_answer = std::move(answer);
    endResetModel();
}

int AnswerModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_answer ? 0 : static_cast<int>(m_answer->rows.size());
}

int AnswerModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_answer ? 0 : static_cast<int>(m_answer->columns.size());
}

QVariant AnswerModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid()) {
        return {};
    }
    const query::Value& value =
        m_answer->rows[static_cast<std::size_t>(index.row())][static_cast<std::size_t>(index.column())];
    switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
        return isNull(value) ? QStringLiteral("null") : toQt(query::valueText(value));
    case Qt::FontRole:
        return isNull(value) ? nullFont() : QVariant();
    case Qt::TextAlignmentRole:
        return QVariant(Qt::AlignVCenter |
                        (std::holds_alternative<std::string>(value) ? Qt::AlignLeft : Qt::AlignRight));
    case kSortRole:
        return sortable(value);
    default:
        return {};
    }
}

QVariant AnswerModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role != Qt::DisplayRole || section < 0) {
        return {};
    }
    if (orientation == Qt::Vertical) {
        return section + 1;
    }
    return section < columnCount() ? QVariant(toQt(m_answer->columns[static_cast<std::size_t>(section)]))
                                   : QVariant();
}

} // namespace ringside::gui
