// SPDX-License-Identifier: GPL-3.0-or-later
// Widget for a report table: a click on a header sorts it, and its rows can be copied as text, the whole as
// CSV, also into a file.
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
    /// `shown`: what the first column shows instead of its texts, by row. The whole texts are in tool tips,
    /// copies and CSV.
    void setTable(document::Table table, std::vector<std::string> shown = {});
    /// Selects a row of the table as it was given, and scrolls to it.
    void showRow(int row);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    /// A row was clicked, or activated by a key: the number that it had in the table as it was given.
    void rowChosen(int row);
    /// The same of a row that has a moment in the run.
    void placeChosen(const ringside::document::Place& place);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void setWidths();
    void copyRows() const;
    void copyCsv() const;
    void saveCsv();
    TableModel* m_model;
    SortedTableModel* m_sorted;
    Height m_height;
};

} // namespace ringside::gui
