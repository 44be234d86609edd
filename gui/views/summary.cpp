// SPDX-License-Identifier: GPL-3.0-or-later
// The verdict, the figures that stand out, and the sections of the document that no other view shows.
#include "base/navigator.h"
#include "base/text.h"
#include "base/theme.h"
#include "views/view.h"
#include "widgets/section_page.h"

#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>

namespace ringside::gui::view_summary {
namespace {

using namespace Qt::StringLiterals;
using document::Section;
using document::SectionId;

/// Sections that have a view of their own.
constexpr SectionId kElsewhere[] = {SectionId::HeatMap, SectionId::Findings, SectionId::Collectives};

QLabel* paragraph(QWidget* parent)
{
    auto* const label = new QLabel(parent);
    label->setWordWrap(true);
    label->setTextFormat(Qt::RichText);
    label->setTextInteractionFlags(Qt::TextBrowserInteraction | Qt::TextSelectableByKeyboard);
    return label;
}

class SummaryView final : public View {
public:
    SummaryView(Navigator& navigator, QWidget* parent) : View(parent), m_scroll(new QScrollArea(this))
    {
        m_scroll->setWidgetResizable(true);
        m_scroll->setFrameShape(QFrame::NoFrame);
        m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        m_scroll->setAccessibleName(u"Summary"_s);
        m_scroll->setFocusPolicy(Qt::StrongFocus);
        setFocusProxy(m_scroll);
        auto* const page = new QWidget(m_scroll);
        auto* const rows = new QVBoxLayout(page);
        m_verdict = paragraph(page);
        m_verdict->setObjectName(u"verdict"_s);
        m_verdict->setMargin(10);
        m_tiles = new QGridLayout;
        m_contents = paragraph(page);
        m_contents->setObjectName(u"contents"_s);
        m_notMeasured = paragraph(page);
        m_sections = new SectionPage(page);
        rows->addWidget(m_verdict);
        rows->addLayout(m_tiles);
        rows->addWidget(m_contents);
        rows->addWidget(m_notMeasured);
        rows->addWidget(m_sections);
        rows->addStretch();
        m_scroll->setWidget(page);
        auto* const all = new QVBoxLayout(this);
        all->setContentsMargins(0, 0, 0, 0);
        all->addWidget(m_scroll);
        connect(m_contents, &QLabel::linkActivated, this, [this](const QString& link) {
            const QWidget* const heading = m_sections->open(static_cast<SectionId>(link.toInt()));
            m_scroll->widget()->layout()->activate(); // what was folded needs its room first
            m_scroll->verticalScrollBar()->setValue(heading->mapTo(m_scroll->widget(), QPoint()).y());
        });
        connect(m_sections, &SectionPage::placeChosen, this, [&navigator](const document::Place& place) {
            emit navigator.placeRequested({place.startNs, place.endNs}, {place.rank},
                                          u"<p>%1</p>"_s.arg(toHtml(place.text)));
        });
    }

    void setSession(const Session& session) override
    {
        if (m_document == session.document) {
            return;
        }
        m_document = session.document;
        setColours();
        fillTiles();
        m_notMeasured->setText(u"<b>The parts of a step were not measured.</b> "_s +
                               toHtml(m_document->notMeasured));
        m_notMeasured->setVisible(!m_document->notMeasured.empty());
        std::vector<const Section*> sections;
        QStringList links;
        for (const Section& section : m_document->sections) {
            if (std::ranges::find(kElsewhere, section.id) == std::end(kElsewhere)) {
                sections.push_back(&section);
                if (!section.title.empty()) {
                    links << u"<a href=\"%1\">%2</a>"_s.arg(static_cast<int>(section.id))
                                 .arg(toHtml(section.title));
                }
            }
        }
        m_contents->setText(links.join(u" · "_s));
        m_sections->setSections(sections);
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

    std::shared_ptr<const document::Document> m_document;
    QScrollArea* m_scroll;
    QLabel* m_verdict;
    QGridLayout* m_tiles;
    QLabel* m_contents; ///< links to the sections
    QLabel* m_notMeasured;
    SectionPage* m_sections;
};

} // namespace

RINGSIDE_VIEW(
    summary, .title = "Summary", .help = "The verdict, and what the report says beside the findings",
    .order = 1, .place = Place::Left, .create = [](Navigator& navigator, QWidget* parent) -> View* {
        return new SummaryView(navigator, parent);
    });

} // namespace ringside::gui::view_summary
