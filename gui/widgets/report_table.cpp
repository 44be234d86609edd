// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/report_table.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QScrollBar>

namespace ringside::gui {

ReportTable::ReportTable(const QString& name, Height height, QWidget* parent)
    : QTableView(parent)
    , m_model(new TableModel(this))
    , m_sorted(new SortedTableModel(this))
    , m_height(height)
{
    setAccessibleName(name);
    m_sorted->setSourceModel(m_model);
    setModel(m_sorted);
    setSortingEnabled(true);
    sortByColumn(-1, Qt::AscendingOrder);
    setAlternatingRowColors(true);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setShowGrid(false);
    setTabKeyNavigation(false);
    setWordWrap(false);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setDefaultAlignment(Qt::AlignCenter);
    setSizePolicy(QSizePolicy::Expanding,
                  height == Height::AllRows ? QSizePolicy::Fixed : QSizePolicy::Expanding);
}

void ReportTable::setTable(report::Table table)
{
    m_model->setTable(std::move(table));
    sortByColumn(-1, Qt::AscendingOrder);
    resizeColumnsToContents();
    updateGeometry();
}

QSize ReportTable::sizeHint() const
{
    constexpr int kMostRows = 16;
    const QSize usual = QTableView::sizeHint();
    if (m_height == Height::Fill) {
        return usual;
    }
    const int rows = std::min(kMostRows, m_model->rowCount());
    return {usual.width(), horizontalHeader()->sizeHint().height() +
                               rows * verticalHeader()->defaultSectionSize() +
                               horizontalScrollBar()->sizeHint().height() + 2 * frameWidth()};
}

QSize ReportTable::minimumSizeHint() const
{
    return m_height == Height::AllRows ? QSize(200, sizeHint().height()) : QTableView::minimumSizeHint();
}

/// Copies the selected rows, with tabs between the cells.
void ReportTable::keyPressEvent(QKeyEvent* event)
{
    if (!event->matches(QKeySequence::Copy)) {
        QTableView::keyPressEvent(event);
        return;
    }
    QStringList lines;
    for (const QModelIndex& row : selectionModel()->selectedRows()) {
        QStringList cells;
        for (int column = 0; column < model()->columnCount(); ++column) {
            cells.append(row.siblingAtColumn(column).data().toString());
        }
        lines.append(cells.join(QLatin1Char('\t')));
    }
    QApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

} // namespace ringside::gui
