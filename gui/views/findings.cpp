// SPDX-License-Identifier: GPL-3.0-or-later
// The findings: what the verdict names, then by cost. Choosing one shows its evidence in the timeline.
#include "base/navigator.h"
#include "base/text.h"
#include "base/theme.h"
#include "models/finding_model.h"
#include "views/view.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QMenu>
#include <QPainter>
#include <QSplitter>
#include <QStackedLayout>
#include <QStyledItemDelegate>
#include <QTextBrowser>
#include <QTextLayout>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace ringside::gui::view_findings {
namespace {

using namespace Qt::StringLiterals;

/// Paints a finding: its title, wrapped, and a line with its cost and its ranks.
class FindingDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const auto* const view = qobject_cast<const QTreeView*>(option.widget);
        const int width = (view != nullptr ? view->viewport()->width() : 400) - kLeft - kRoom;
        return {width, heightOf(option, titleOf(index), width) + heightOf(option, subline(index), width) +
                           3 * kRoom};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const Theme& theme = themeOf(option.palette);
        const bool selected = option.state.testFlag(QStyle::State_Selected);
        const QColor ink = selected ? option.palette.color(QPalette::HighlightedText) : theme.text;
        const QColor back = selected ? option.palette.color(QPalette::Highlight) : theme.base;
        const auto severity = static_cast<const FindingModel*>(index.model())->finding(index.row()).severity;
        painter->save();
        painter->fillRect(option.rect, back);
        paintSeverity(*painter, QRectF(option.rect.left() + 8, option.rect.top() + kRoom + 1, 16, 16),
                      severity, theme);
        const int width = option.rect.width() - kLeft - kRoom;
        const int height = heightOf(option, titleOf(index), width);
        const QRect title(option.rect.left() + kLeft, option.rect.top() + kRoom, width, height);
        painter->setPen(ink);
        painter->drawText(title, Qt::TextWordWrap, titleOf(index));
        painter->setPen(selected ? ink : theme.dim);
        const QRect below(title.left(), title.bottom() + kRoom, width,
                          heightOf(option, subline(index), width));
        painter->drawText(below, Qt::TextWordWrap, subline(index));
        painter->setPen(theme.line);
        painter->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
        painter->restore();
    }

private:
    static constexpr int kLeft = 32;
    static constexpr int kRoom = 6;

    static QString subline(const QModelIndex& index)
    {
        const auto text = [&](int column) { return index.siblingAtColumn(column).data().toString(); };
        const QString who =
            index.siblingAtColumn(FindingModel::kRanks).data(Qt::AccessibleTextRole).toString();
        return text(FindingModel::kSeverity) + u"  ·  "_s + text(FindingModel::kCost) + u"  ·  "_s + who;
    }

    static QString titleOf(const QModelIndex& index) { return index.data().toString(); }
    static int heightOf(const QStyleOptionViewItem& option, const QString& text, int width)
    {
        return option.fontMetrics
            .boundingRect(QRect(0, 0, std::max(50, width), 10'000), Qt::TextWordWrap, text)
            .height();
    }

    /// Paints one shape for each severity, so that colour is not the only difference.
    static void paintSeverity(QPainter& painter, const QRectF& box, trace::Severity severity,
                              const Theme& theme)
    {
        painter.setRenderHint(QPainter::Antialiasing);
        const QColor colour = severity == trace::Severity::Problem   ? theme.problem
                              : severity == trace::Severity::Warning ? theme.warning
                                                                     : theme.info;
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        if (severity == trace::Severity::Problem) {
            painter.drawPolygon(QPolygonF({{box.left() + 5, box.top()},
                                           {box.right() - 5, box.top()},
                                           {box.right(), box.top() + 5},
                                           {box.right(), box.bottom() - 5},
                                           {box.right() - 5, box.bottom()},
                                           {box.left() + 5, box.bottom()},
                                           {box.left(), box.bottom() - 5},
                                           {box.left(), box.top() + 5}}));
        } else if (severity == trace::Severity::Warning) {
            painter.drawPolygon(
                QPolygonF({{box.center().x(), box.top()}, box.bottomRight(), box.bottomLeft()}));
        } else {
            painter.drawEllipse(box);
        }
        painter.setPen(inkOn(colour));
        QFont font = painter.font();
        font.setBold(true);
        font.setPixelSize(12);
        painter.save();
        painter.setFont(font);
        painter.drawText(box.adjusted(0, severity == trace::Severity::Warning ? 3 : 0, 0, 0), Qt::AlignCenter,
                         severity == trace::Severity::Info ? u"i"_s : u"!"_s);
        painter.restore();
    }
};

/// A list whose rows are as wide as the window, however long their titles are.
class FindingList final : public QTreeView {
public:
    using QTreeView::QTreeView;

protected:
    void resizeEvent(QResizeEvent* event) override
    {
        QTreeView::resizeEvent(event);
        header()->resizeSection(FindingModel::kTitle, viewport()->width());
        scheduleDelayedItemsLayout();
    }
};

class FindingsView final : public View {
public:
    FindingsView(Navigator& navigator, QWidget* parent) : View(parent), m_navigator(navigator)
    {
        m_model = new FindingModel(this);
        m_list = new FindingList(this);
        m_list->setObjectName(u"findings"_s);
        m_list->setAccessibleName(u"Findings: what the verdict names, then by cost"_s);
        m_list->setModel(m_model);
        m_list->setItemDelegate(new FindingDelegate(m_list));
        m_list->setRootIsDecorated(false);
        m_list->setHeaderHidden(true);
        m_list->setUniformRowHeights(false);
        m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
        for (const int column : {FindingModel::kSeverity, FindingModel::kCost, FindingModel::kRanks}) {
            m_list->hideColumn(column);
        }
        m_details = new QTextBrowser(this);
        m_details->setAccessibleName(u"The finding in full"_s);
        m_details->setOpenLinks(false);
        m_details->setFrameShape(QFrame::NoFrame);
        m_none = new QTextBrowser(this);
        m_none->setAccessibleName(u"No findings"_s);
        m_none->setFrameShape(QFrame::NoFrame);
        auto* const both = new QSplitter(Qt::Vertical, this);
        both->addWidget(m_list);
        both->addWidget(m_details);
        both->setStretchFactor(0, 3);
        both->setStretchFactor(1, 2);
        both->setSizes({300, 200});
        setFocusProxy(m_list);
        m_pages = new QStackedLayout(this);
        m_pages->addWidget(both);
        m_pages->addWidget(m_none);
        m_list->setContextMenuPolicy(Qt::CustomContextMenu);
        connect(m_list, &QWidget::customContextMenuRequested, this,
                [this](const QPoint& position) { showMenu(position); });
        connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this,
                [this](const QModelIndex& now) { showFinding(now); });
        connect(m_list, &QTreeView::clicked, this, [this](const QModelIndex& row) { goTo(row, 0); });
        connect(m_list, &QTreeView::activated, this, [this](const QModelIndex& row) { goTo(row, 0); });
        connect(m_details, &QTextBrowser::anchorClicked, this,
                [this](const QUrl& link) { goTo(m_list->currentIndex(), link.path().toULongLong()); });
    }

    void setSession(const Session& session) override
    {
        if (m_document == session.document) {
            return;
        }
        const auto chosen = session.isFollowed ? chosenFinding() : std::nullopt;
        m_document = session.document;
        m_details->clear();
        m_model->setDocument(m_document);
        m_pages->setCurrentIndex(m_model->rowCount() == 0 ? 1 : 0);
        const auto unjudged = std::ranges::count_if(
            m_document->rules, [](const document::RuleEntry& rule) { return rule.notJudged.has_value(); });
        m_none->setHtml(u"<h3>No findings</h3><p>%1</p><p>%2</p>"_s.arg(
            toHtml(m_document->summary),
            unjudged == 0
                ? u"Every rule could judge this run."_s
                : u"%1 rules could not judge this run: Not applicable in view Summary says why."_s.arg(
                      unjudged)));
        const QModelIndex shown = m_model->index(chosen ? rowOf(*chosen) : 0, FindingModel::kTitle);
        m_list->selectionModel()->setCurrentIndex(shown, QItemSelectionModel::NoUpdate);
        showFinding(shown);
    }

private:
    /// The rule and the ranks of the finding whose details are shown.
    using Chosen = std::pair<std::string, std::vector<std::int64_t>>;
    [[nodiscard]] std::optional<Chosen> chosenFinding() const
    {
        const QModelIndex row = m_list->currentIndex();
        if (!row.isValid()) {
            return std::nullopt;
        }
        const document::Finding& finding = m_model->finding(row.row());
        return Chosen{finding.rule, finding.rankNumbers};
    }

    /// The first row if there is no such finding any more.
    [[nodiscard]] int rowOf(const Chosen& chosen) const
    {
        for (int row = 0; row < m_model->rowCount({}); ++row) {
            const document::Finding& finding = m_model->finding(row);
            if (finding.rule == chosen.first && finding.rankNumbers == chosen.second) {
                return row;
            }
        }
        return 0;
    }

    void showFinding(const QModelIndex& row)
    {
        m_details->setHtml(row.isValid() ? findingHtml(m_model->finding(row.row())) : QString());
    }

    void showMenu(const QPoint& position)
    {
        const QModelIndex row = m_list->indexAt(position);
        if (!row.isValid()) {
            return;
        }
        QMenu menu(m_list);
        menu.addAction(u"&Show it in the timeline"_s, this, [this, row] { goTo(row, 0); })
            ->setEnabled(!m_model->finding(row.row()).places.empty());
        menu.addAction(u"&Copy the finding"_s, this, [this, row] {
            showFinding(row);
            QApplication::clipboard()->setText(m_details->toPlainText());
        });
        menu.exec(m_list->viewport()->mapToGlobal(position));
    }

    void goTo(const QModelIndex& row, std::size_t place)
    {
        if (!row.isValid() || place >= m_model->finding(row.row()).places.size()) {
            return; // a setting has no time to show
        }
        const document::Finding& finding = m_model->finding(row.row());
        const document::Place& shown = finding.places[place];
        emit m_navigator.placeRequested(
            {shown.startNs, shown.endNs},
            finding.rankNumbers.empty() ? std::vector{shown.rank} : finding.rankNumbers,
            u"<h4>%1</h4><p>%2</p>"_s.arg(toHtml(finding.title), toHtml(shown.text)));
    }

    Navigator& m_navigator;
    std::shared_ptr<const document::Document> m_document;
    FindingModel* m_model;
    FindingList* m_list;
    QTextBrowser* m_details;
    QTextBrowser* m_none;
    QStackedLayout* m_pages;
};

} // namespace

RINGSIDE_VIEW(
    findings, .title = "Findings", .help = "What the verdict names, then by cost, with the evidence",
    .order = 2, .place = Place::Right, .create = [](Navigator& navigator, QWidget* parent) -> View* {
        return new FindingsView(navigator, parent);
    });

} // namespace ringside::gui::view_findings
