// SPDX-License-Identifier: GPL-3.0-or-later
// Widget for a report table: a click on a header sorts it, and its rows can be copied as text.
#pragma once
#include "models/table_model.h"

#include <QTableView>

namespace ringside::gui {

class ReportTable final : public QTableView {
    Q_OBJECT
public:
    enum class Height : std::uint8_t {
        AllRows, ///< as high as its rows, up to a limit; for a page that scrolls
        Fill,    ///< fills the available space
    };
    ReportTable(const QString& name, Height height, QWidget* parent = nullptr);
    void setTable(report::Table table);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    TableModel* m_model;
    SortedTableModel* m_sorted;
    Height m_height;
};

} // namespace ringside::gui
