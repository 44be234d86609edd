// SPDX-License-Identifier: GPL-3.0-or-later
// All ranks on one clock, with a search line, and in words what is selected.
#include "app/navigator.h"
#include "app/text.h"
#include "timeline/timeline_widget.h"
#include "views/view.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSplitter>
#include <QTextBrowser>
#include <QToolButton>
#include <QVBoxLayout>

namespace ringside::gui {
namespace {

using namespace Qt::StringLiterals;
using timeline::Direction;

class TimelineView final : public View {
public:
    TimelineView(Navigator& navigator, QWidget* parent) : View(parent)
    {
        m_timeline = new TimelineWidget(this);
        m_timeline->setObjectName(u"timeline"_s);
        m_details = new QTextBrowser(this);
        m_details->setAccessibleName(u"What is selected"_s);
        m_details->setFrameShape(QFrame::NoFrame);
        setFocusProxy(m_timeline);
        auto* const both = new QSplitter(this);
        both->addWidget(m_timeline);
        both->addWidget(m_details);
        both->setStretchFactor(0, 1);
        both->setSizes({900, 250});
        both->setChildrenCollapsible(true);
        auto* const all = new QVBoxLayout(this);
        all->setContentsMargins(0, 0, 0, 0);
        all->setSpacing(2);
        all->addLayout(searchLine());
        all->addWidget(both, 1);
        connect(&navigator, &Navigator::placeWanted, m_timeline, &TimelineWidget::showPlace);
        connect(m_timeline, &TimelineWidget::selectionChanged, this, [this] { describeSelection(); });
        connect(m_timeline, &TimelineWidget::findWanted, this, [this] {
            m_search->setFocus();
            m_search->selectAll();
        });
    }

    void setSession(const Session& session) override
    {
        m_session = session;
        m_timeline->setSession(session);
        describeSelection();
    }

private:
    QHBoxLayout* searchLine()
    {
        auto* const line = new QHBoxLayout;
        line->setContentsMargins(6, 2, 6, 0);
        m_search = new QLineEdit(this);
        m_search->setAccessibleName(u"Find in the timeline"_s);
        m_search->setPlaceholderText(u"Find a kernel, call or range ( / )"_s);
        m_search->setClearButtonEnabled(true);
        m_search->setFixedWidth(300);
        m_result = new QLabel(this);
        m_result->setAccessibleName(u"Result of the search"_s);
        const auto button = [&](Qt::ArrowType arrow, const QString& name, Direction direction) {
            auto* const each = new QToolButton(this);
            each->setArrowType(arrow);
            each->setAccessibleName(name);
            each->setToolTip(name);
            each->setAutoRaise(true);
            connect(each, &QToolButton::clicked, this, [this, direction] { search(direction); });
            return each;
        };
        connect(m_search, &QLineEdit::returnPressed, this, [this] { search(Direction::Forward); });
        line->addWidget(m_search);
        line->addWidget(button(Qt::LeftArrow, u"Previous match"_s, Direction::Backward));
        line->addWidget(button(Qt::RightArrow, u"Next match"_s, Direction::Forward));
        line->addWidget(m_result, 1);
        return line;
    }

    void search(Direction direction)
    {
        const bool found = m_timeline->find(m_search->text(), direction);
        m_result->setText(found || m_search->text().isEmpty() ? QString()
                          : direction == Direction::Forward   ? u"Nothing of that name from here on."_s
                                                              : u"Nothing of that name before."_s);
    }

    void describeSelection()
    {
        const auto selected = m_timeline->selected();
        if (!m_session.timeline || !selected) {
            m_details->setHtml(legend());
            return;
        }
        const timeline::Description text =
            timeline::describe(m_session.report->model, *m_session.timeline, *selected);
        QString html = u"<h4>"_s + toHtml(text.title) + u"</h4><table cellpadding=2>"_s;
        for (const auto& [what, value] : text.lines) {
            html += u"<tr><td><i>%1</i>&nbsp;</td><td>%2</td></tr>"_s.arg(toHtml(what), toHtml(value));
        }
        m_details->setHtml(html + u"</table>"_s);
    }

    [[nodiscard]] QString legend() const
    {
        using timeline::SpanKind;
        const Theme& theme = themeOf(palette());
        QString html =
            u"<p><b>Nothing is selected.</b> Click a span, or a finding.</p><table cellpadding=2>"_s;
        for (const auto& [kind, text] :
             {std::pair(SpanKind::Compute, u"compute"_s),
              std::pair(SpanKind::Wait, u"waiting for the last rank"_s),
              std::pair(SpanKind::Transfer, u"communication"_s), std::pair(SpanKind::Copy, u"copy or set"_s),
              std::pair(SpanKind::NcclCall, u"NCCL call of the host"_s),
              std::pair(SpanKind::Range, u"user range (NVTX)"_s),
              std::pair(SpanKind::ApiCall, u"CUDA call"_s)}) {
            html += u"<tr><td bgcolor=\"%1\">&nbsp;&nbsp;&nbsp;&nbsp;</td><td>%2</td></tr>"_s.arg(
                theme.of(kind).name(), text);
        }
        return html + u"<tr><td align=center>&#9660;</td><td>came last to a collective</td></tr></table>"
                      u"<p>W S A D: zoom and move. [ ]: collective before and after. F: everything. "
                      u"Backspace: back. H: host threads.</p>"_s;
    }

    Session m_session;
    TimelineWidget* m_timeline;
    QTextBrowser* m_details;
    QLineEdit* m_search = nullptr;
    QLabel* m_result = nullptr;
};

} // namespace
} // namespace ringside::gui

RINGSIDE_VIEW(
    timeline, .title = "Timeline", .help = "All ranks, streams and threads on one clock", .order = 3,
    .place = ringside::gui::Place::Bottom,
    .create = [](ringside::gui::Navigator& navigator, QWidget* parent) -> ringside::gui::View* {
        return new ringside::gui::TimelineView(navigator, parent);
    });
