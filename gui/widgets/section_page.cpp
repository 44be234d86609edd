// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/section_page.h"

#include "base/text.h"
#include "widgets/box_picture.h"
#include "widgets/breakdown_chart.h"
#include "widgets/report_table.h"

#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace ringside::gui {
namespace {

using namespace Qt::StringLiterals;
using document::Block;
using document::Section;

QString itemsHtml(const document::Items& items)
{
    QString html;
    for (const std::string& line : items.texts) {
        html += u"<div>%1</div>"_s.arg(toHtml(line));
    }
    return html;
}

/// `widget` was made by SectionPage::widgetFor() for a block of this kind.
void fill(QWidget* widget, const Block& block, const std::string& title)
{
    const auto text = [widget](const QString& html) { static_cast<QLabel*>(widget)->setText(html); };
    std::visit(document::Visitor{[&](const document::Paragraph& paragraph) { text(toHtml(paragraph.text)); },
                                 [&](const document::Items& items) { text(itemsHtml(items)); },
                                 [&](const document::Finding& finding) { text(toHtml(finding.title)); },
                                 [&](const document::HeatMap&) { text(u"See view Ranks and steps."_s); },
                                 [&](const document::Table& table) {
                                     widget->setAccessibleName(toQt(title));
                                     static_cast<ReportTable*>(widget)->setTable(table);
                                 },
                                 [&](const document::BarChart& chart) {
                                     static_cast<BreakdownChart*>(widget)->setChart(chart);
                                 },
                                 [&](const document::WaitChain& chain) {
                                     static_cast<BoxPictureWidget*>(widget)->setPicture(
                                         pictureOf(chain), u"Who waits for whom"_s, waitLines(chain));
                                 },
                                 [&](const document::WhyGraph& graph) {
                                     static_cast<BoxPictureWidget*>(widget)->setPicture(
                                         pictureOf(graph), toQt(title), whyLines(graph));
                                 }},
               block);
}

} // namespace

SectionPage::SectionPage(QWidget* parent) : QWidget(parent), m_lines(new QVBoxLayout(this))
{
    m_lines->setContentsMargins(0, 0, 0, 0);
}

bool SectionPage::Shown::fits(const Section& section) const
{
    return id == section.id && folded == section.folded &&
           std::ranges::equal(kinds, section.blocks, {}, {}, &Block::index);
}

void SectionPage::setSections(const std::vector<const Section*>& sections)
{
    const bool same = std::ranges::equal(
        m_shown, sections, [](const Shown& shown, const Section* section) { return shown.fits(*section); });
    if (!same) {
        m_shown.clear();
        while (QLayoutItem* const item = m_lines->takeAt(0)) {
            delete item->widget();
            delete item;
        }
        std::ranges::for_each(sections, [this](const Section* section) { build(*section); });
    }
    for (std::size_t i = 0; i < sections.size(); ++i) {
        for (std::size_t block = 0; block < sections[i]->blocks.size(); ++block) {
            fill(m_shown[i].blocks[block], sections[i]->blocks[block], sections[i]->title);
        }
    }
}

QWidget* SectionPage::open(document::SectionId id)
{
    const auto found = std::ranges::find(m_shown, id, &Shown::id);
    if (found == m_shown.end()) {
        return nullptr;
    }
    if (auto* const button = qobject_cast<QToolButton*>(found->heading)) {
        button->setChecked(true);
    }
    return found->heading;
}

void SectionPage::build(const Section& section)
{
    Shown& shown = m_shown.emplace_back();
    shown.id = section.id;
    shown.folded = section.folded;
    auto* const body = new QWidget(this);
    auto* const lines = new QVBoxLayout(body);
    lines->setContentsMargins(0, 0, 0, 8);
    for (const Block& block : section.blocks) {
        shown.kinds.push_back(block.index());
        shown.blocks.push_back(widgetFor(block, body));
        lines->addWidget(shown.blocks.back());
    }
    shown.heading = headingFor(section, body);
    m_lines->addWidget(shown.heading);
    m_lines->addWidget(body);
}

QWidget* SectionPage::headingFor(const Section& section, QWidget* body)
{
    const QString title = toQt(section.title);
    if (!section.folded) {
        auto* const label = new QLabel(u"<b>%1</b>"_s.arg(title.toHtmlEscaped()), this);
        label->setWordWrap(true);
        label->setVisible(!title.isEmpty());
        return label;
    }
    auto* const button = new QToolButton(this);
    button->setText(title);
    button->setToolTip(u"Shows or hides this section"_s);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setAutoRaise(true);
    QFont bold = button->font();
    bold.setBold(true);
    button->setFont(bold);
    button->setCheckable(true);
    button->setArrowType(Qt::RightArrow);
    body->hide();
    connect(button, &QToolButton::toggled, body, [button, body](bool open) {
        button->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
        body->setVisible(open);
    });
    return button;
}

QWidget* SectionPage::widgetFor(const Block& block, QWidget* parent)
{
    if (std::holds_alternative<document::Table>(block)) {
        auto* const table = new ReportTable({}, ReportTable::Height::AllRows, parent);
        connect(table, &ReportTable::placeChosen, this, &SectionPage::placeChosen);
        return table;
    }
    if (std::holds_alternative<document::BarChart>(block)) {
        return new BreakdownChart(parent);
    }
    if (std::holds_alternative<document::WaitChain>(block) ||
        std::holds_alternative<document::WhyGraph>(block)) {
        auto* const picture = new BoxPictureWidget(parent);
        connect(picture, &BoxPictureWidget::placeChosen, this, &SectionPage::placeChosen);
        return picture;
    }
    auto* const label = new QLabel(parent);
    label->setWordWrap(true);
    label->setTextFormat(Qt::RichText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    return label;
}

} // namespace ringside::gui
