// SPDX-License-Identifier: GPL-3.0-or-later
// The verdict, the parts of a step of each rank, and the data that the figures rest on.
#include "base/text.h"
#include "base/theme.h"
#include "views/view.h"
#include "widgets/breakdown_chart.h"
#include "widgets/report_table.h"
#include "widgets/wait_picture.h"

#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

namespace ringside::gui::view_summary {
namespace {

using namespace Qt::StringLiterals;
using document::SectionId;

QLabel* paragraph(QWidget* parent)
{
    auto* const label = new QLabel(parent);
    label->setWordWrap(true);
    label->setTextFormat(Qt::RichText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    return label;
}

QString itemsHtml(const document::Items& items)
{
    QString html;
    for (const std::string& line : items.texts) {
        html += toHtml(line) + u"<br>"_s;
    }
    return u"<p>%1</p>"_s.arg(html);
}

QString tableHtml(const document::Table& table)
{
    QString html = u"<table cellpadding=\"3\"><tr>"_s;
    for (const std::string& column : table.header) {
        html += u"<th align=\"left\">%1</th>"_s.arg(toHtml(column));
    }
    for (const std::vector<document::Cell>& row : table.rows) {
        html += u"</tr><tr>"_s;
        for (const document::Cell& cell : row) {
            html += u"<td align=\"%1\">%2</td>"_s.arg(cell.isText() ? u"left"_s : u"right"_s,
                                                      toHtml(document::cellText(cell)));
        }
    }
    return html + u"</tr></table>"_s;
}

class SummaryView final : public View {
public:
    explicit SummaryView(QWidget* parent) : View(parent)
    {
        auto* const scroll = new QScrollArea(this);
        scroll->setWidgetResizable(true);
        scroll->setFrameShape(QFrame::NoFrame);
        scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        scroll->setAccessibleName(u"Summary"_s);
        scroll->setFocusPolicy(Qt::StrongFocus);
        setFocusProxy(scroll);
        auto* const page = new QWidget(scroll);
        auto* const rows = new QVBoxLayout(page);
        m_verdict = paragraph(page);
        m_verdict->setObjectName(u"verdict"_s);
        m_verdict->setMargin(10);
        m_waitsTitle = paragraph(page);
        m_waits = new WaitPictureWidget(page);
        m_tiles = new QGridLayout;
        m_chartTitle = paragraph(page);
        m_chart = new BreakdownChart(page);
        m_table =
            new ReportTable(u"Parts of a step of each rank, in ms"_s, ReportTable::Height::AllRows, page);
        m_rest = paragraph(page);
        rows->addWidget(m_verdict);
        rows->addWidget(m_waitsTitle);
        rows->addWidget(m_waits);
        rows->addLayout(m_tiles);
        rows->addWidget(m_chartTitle);
        rows->addWidget(m_chart);
        rows->addWidget(m_table);
        rows->addWidget(m_rest);
        rows->addStretch();
        scroll->setWidget(page);
        auto* const all = new QVBoxLayout(this);
        all->setContentsMargins(0, 0, 0, 0);
        all->addWidget(scroll);
    }

    void setSession(const Session& session) override
    {
        if (m_document == session.document) {
            return;
        }
        m_document = session.document;
        setColours();
        fillTiles();
        showWaits();
        const auto* const chart = m_document->find<document::BarChart>(SectionId::BreakdownChart);
        const document::Section* const steps = m_document->find(SectionId::BreakdownTable);
        m_chart->setVisible(chart != nullptr);
        m_table->setVisible(steps != nullptr);
        m_chartTitle->setText(steps != nullptr ? QString(u"<b>"_s + toHtml(steps->title) + u"</b>"_s)
                                               : QString(u"<b>The parts of a step were not measured.</b> "_s +
                                                         toHtml(m_document->notMeasured)));
        m_chart->setChart(chart != nullptr ? *chart : document::BarChart());
        const auto* const table = m_document->find<document::Table>(SectionId::BreakdownTable);
        m_table->setTable(table != nullptr ? *table : document::Table());
        m_rest->setText(sectionHtml(SectionId::NotRead) + sectionHtml(SectionId::KeyFigures) +
                        sectionHtml(SectionId::Argument) + sectionHtml(SectionId::Prices) +
                        sectionHtml(SectionId::Coverage));
    }

protected:
    void changeEvent(QEvent* event) override
    {
        View::changeEvent(event);
        if (event->type() == QEvent::PaletteChange && m_document) {
            setColours();
        }
    }

private:
    void showWaits()
    {
        const auto* const chain = m_document->find<document::WaitChain>(SectionId::WaitChain);
        m_waits->setVisible(chain != nullptr);
        m_waitsTitle->setVisible(chain != nullptr);
        if (chain != nullptr) {
            m_waits->setChain(*chain);
            m_waitsTitle->setText(u"<b>%1</b><br>%2"_s.arg(
                toHtml(m_document->find(SectionId::WaitChain)->title), toHtml(chain->note)));
        }
    }

    void setColours()
    {
        const Theme& theme = themeOf(palette());
        const QColor colour = m_document->tone == document::Tone::Limited ? theme.communication
                              : m_document->tone == document::Tone::Good  ? theme.copy
                                                                          : theme.idle;
        m_verdict->setText(u"<p style=\"font-size:large\">%1</p><p style=\"color:%2\">Verdict: %3.</p>"_s.arg(
            toHtml(m_document->summary), theme.dim.name(), toHtml(m_document->verdict)));
        m_verdict->setStyleSheet(
            u"QLabel { background: %1; border-left: 4px solid %2; }"_s.arg(theme.card.name(), colour.name()));
    }

    void fillTiles()
    {
        while (QLayoutItem* const item = m_tiles->takeAt(0)) {
            delete item->widget();
            delete item;
        }
        int column = 0;
        for (const document::KeyFigure& figure : m_document->figures) {
            QLabel* const label = paragraph(this);
            label->setText(u"<span style=\"font-size:x-large\"><b>%1</b></span><br>%2"_s.arg(
                toHtml(figure.value), toHtml(figure.name)));
            label->setToolTip(toQt(figure.help));
            label->setAccessibleName(toQt(figure.name) + u": "_s + toQt(figure.value));
            m_tiles->setColumnStretch(column, 1);
            m_tiles->addWidget(label, 0, column++);
        }
    }

    /// Empty if the document has no such section.
    [[nodiscard]] QString sectionHtml(SectionId id) const
    {
        const document::Section* const section = m_document->find(id);
        if (section == nullptr) {
            return {};
        }
        QString html = section->title.empty() ? QString() : u"<p><b>%1</b></p>"_s.arg(toHtml(section->title));
        for (const document::Block& block : section->blocks) {
            html +=
                std::visit(document::Visitor{[](const document::Items& items) { return itemsHtml(items); },
                                             [](const document::Paragraph& paragraph) {
                                                 return u"<p>%1</p>"_s.arg(toHtml(paragraph.text));
                                             },
                                             [](const document::Table& table) { return tableHtml(table); },
                                             [](const auto& /*shown elsewhere*/) { return QString(); }},
                           block);
        }
        return html;
    }

    std::shared_ptr<const document::Document> m_document;
    QLabel* m_verdict;
    QLabel* m_waitsTitle;
    WaitPictureWidget* m_waits;
    QGridLayout* m_tiles;
    QLabel* m_chartTitle;
    BreakdownChart* m_chart;
    ReportTable* m_table;
    QLabel* m_rest;
};

} // namespace

RINGSIDE_VIEW(
    summary, .title = "Summary", .help = "The verdict, and the parts of a step of each rank", .order = 1,
    .place = Place::Left,
    .create = [](Navigator&, QWidget* parent) -> View* { return new SummaryView(parent); });

} // namespace ringside::gui::view_summary
