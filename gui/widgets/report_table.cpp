// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/report_table.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFileDialog>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QMessageBox>
#include <QSaveFile>
#include <QScrollBar>
#include <QStyledItemDelegate>

namespace ringside::gui {
namespace {

using namespace Qt::StringLiterals;

/// Leaves room between texts of several lines.
class RoomyDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        constexpr QSize kRoom(0, 6);
        return QStyledItemDelegate::sizeHint(option, index) + kRoom;
    }
};

} // namespace

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
    setItemDelegate(new RoomyDelegate(this));
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setShowGrid(false);
    setTabKeyNavigation(false);
    setWordWrap(false);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setDefaultAlignment(Qt::AlignCenter);
    setTextElideMode(Qt::ElideMiddle);
    const auto choose = [this](const QModelIndex& index) {
        const int row = m_sorted->mapToSource(index).row();
        emit rowChosen(row);
        if (const document::Place* const place = m_model->placeOf(row)) {
            emit placeChosen(*place);
        }
    };
    connect(this, &QTableView::clicked, this, choose);
    connect(this, &QTableView::activated, this, choose);
    setSizePolicy(QSizePolicy::Expanding,
                  height == Height::AllRows ? QSizePolicy::Fixed : QSizePolicy::Expanding);
}

void ReportTable::setTable(document::Table table, std::vector<std::string> shown)
{
    const bool sameColumns = m_model->columnCount() > 0 && m_model->table().header == table.header;
    const int row = currentIndex().isValid() ? m_sorted->mapToSource(currentIndex()).row() : -1;
    const int scroll = verticalScrollBar()->value();
    m_model->setTable(std::move(table), std::move(shown));
    if (!sameColumns) {
        sortByColumn(-1, Qt::AscendingOrder);
    }
    setWidths();
    updateGeometry();
    if (sameColumns) { // new figures in the same table: the reader's place stays
        setCurrentIndex(m_sorted->mapFromSource(m_model->index(row, 0)));
        verticalScrollBar()->setValue(scroll);
    }
}

/// A long text must not push the figures beside it out of sight. On a page that scrolls it is wrapped. Else
/// its middle is elided: kernels of one library begin alike. The whole text is the cell's tool tip.
void ReportTable::setWidths()
{
    resizeColumnsToContents();
    constexpr int kMostWrapped = 64; ///< rows: to measure thousands takes time
    const bool wraps = m_height == Height::AllRows && m_model->rowCount() <= kMostWrapped;
    const int widest = std::clamp(viewport()->width() * 2 / 5, 160, 360);
    for (int column = 0; column < m_model->columnCount(); ++column) {
        const bool last = column + 1 == m_model->columnCount();
        if (!m_model->isNumeric(column) && (!last || wraps) && columnWidth(column) > widest) {
            setColumnWidth(column, widest);
        }
    }
    setWordWrap(wraps);
    if (wraps) {
        resizeRowsToContents();
    }
}

void ReportTable::resizeEvent(QResizeEvent* event)
{
    QTableView::resizeEvent(event);
    if (m_height == Height::AllRows && event->size().width() != event->oldSize().width()) {
        setWidths();
        updateGeometry();
    }
}

void ReportTable::showRow(int row)
{
    const QModelIndex index = m_sorted->mapFromSource(m_model->index(row, 0));
    setCurrentIndex(index);
    selectRow(index.row());
    scrollTo(index);
}

QSize ReportTable::sizeHint() const
{
    constexpr int kMostRows = 24;
    const QSize usual = QTableView::sizeHint();
    if (m_height == Height::Fill) {
        return usual;
    }
    int height = horizontalHeader()->sizeHint().height() + horizontalScrollBar()->sizeHint().height() +
                 2 * frameWidth();
    for (int row = 0; row < std::min(kMostRows, m_model->rowCount()); ++row) {
        height += rowHeight(row);
    }
    return {usual.width(), height};
}

QSize ReportTable::minimumSizeHint() const
{
    return m_height == Height::AllRows ? QSize(200, sizeHint().height()) : QTableView::minimumSizeHint();
}

void ReportTable::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::Copy)) {
        copyRows();
    } else {
        QTableView::keyPressEvent(event);
    }
}

void ReportTable::contextMenuEvent(QContextMenuEvent* event)
{
    QMenu menu(this);
    menu.addAction(u"&Copy selected rows"_s, this, [this] { copyRows(); })
        ->setEnabled(selectionModel()->hasSelection());
    menu.addAction(u"Copy &all as CSV"_s, this, [this] { copyCsv(); });
    menu.addAction(u"&Save as CSV…"_s, this, [this] { saveCsv(); });
    menu.exec(event->globalPos());
}

/// Puts tabs between the cells.
void ReportTable::copyRows() const
{
    QStringList lines;
    for (const QModelIndex& row : selectionModel()->selectedRows()) {
        QStringList cells;
        for (int column = 0; column < model()->columnCount(); ++column) {
            cells.append(row.siblingAtColumn(column).data(TableModel::kWholeRole).toString());
        }
        lines.append(cells.join(QLatin1Char('\t')));
    }
    QApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

void ReportTable::copyCsv() const
{
    QApplication::clipboard()->setText(QString::fromStdString(document::csvTable(m_model->table())));
}

void ReportTable::saveCsv()
{
    const QString path =
        QFileDialog::getSaveFileName(this, u"Save the table"_s, u"table.csv"_s, u"Table (*.csv)"_s);
    if (path.isEmpty()) {
        return;
    }
    QSaveFile file(path);
    const std::string text = document::csvTable(m_model->table());
    if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), static_cast<qint64>(text.size())) < 0 ||
        !file.commit()) {
        QMessageBox::warning(this, u"Save the table"_s,
                             u"Cannot write %1: %2"_s.arg(path, file.errorString()));
    }
}

} // namespace ringside::gui
