// SPDX-License-Identifier: GPL-3.0-or-later
// Item model of the rows that an SQL statement returned.
#pragma once
#include "query/answer.h"

#include <QAbstractTableModel>

#include <memory>

namespace ringside::gui {

class AnswerModel final : public QAbstractTableModel {
public:
    using QAbstractTableModel::QAbstractTableModel;
    void setAnswer(std::shared_ptr<const query::Answer> answer);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

    static constexpr int kSortRole = Qt::UserRole; ///< returns numbers as numbers

private:
    std::shared_ptr<const query::Answer> m_answer;
};

} // namespace ringside::gui
