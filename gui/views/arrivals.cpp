// SPDX-License-Identifier: GPL-3.0-or-later
// One collective from within: when each rank arrived, how long it waited and transferred, side by side. It
// follows the timeline; until a collective is chosen there, it shows the one that lost most.
#include "base/navigator.h"
#include "base/text.h"
#include "timeline/collective_details.h"
#include "values/text.h"
#include "views/view.h"
#include "widgets/empty_page.h"
#include "widgets/lane_chart.h"
#include "widgets/report_table.h"

#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>

namespace ringside::gui::view_arrivals {
namespace {

using namespace Qt::StringLiterals;

class ArrivalsView final : public View {
public:
    ArrivalsView(Navigator& navigator, QWidget* parent) : View(parent)
    {
        m_title = new QLabel(this);
        m_title->setWordWrap(true);
        m_title->setMargin(6);
        m_title->setTextInteractionFlags(Qt::TextSelectableByMouse);
        m_chart = new LaneChart(this);
        m_table = new ReportTable(u"Arrivals at the collective"_s, ReportTable::Height::Fill, this);
        auto* const both = new QSplitter(Qt::Vertical, this);
        both->addWidget(m_chart);
        both->addWidget(m_table);
        both->setSizes({240, 140});
        both->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Ignored); // the table stays in sight
        m_page = new QWidget(this);
        auto* const lines = new QVBoxLayout(m_page);
        lines->setContentsMargins(0, 0, 0, 0);
        lines->setSpacing(0);
        lines->addWidget(m_title);
        lines->addWidget(both, 1);
        m_none = new EmptyPage(this);
        m_none->setText(
            u"Not measured"_s,
            u"<p>No collective is known from the arrival of all its ranks. This needs their work on "
            u"the GPU (tier <i>device</i>), NCCL's channel times or CUDA events, of every rank; "
            u"section Coverage of the Summary says which was recorded, and why another one was "
            u"not.</p>"_s);
        // A stack would be as high as the higher one of both: what is hidden here takes no room.
        auto* const all = new QVBoxLayout(this);
        all->setContentsMargins(0, 0, 0, 0);
        all->addWidget(m_page);
        all->addWidget(m_none);
        setFocusProxy(m_chart);
        connect(&navigator, &Navigator::collectiveShown, this, [this](std::size_t collective) {
            m_collective = collective;
            m_isShown = false;
            fill();
        });
        connect(m_chart, &LaneChart::rankChosen, this, [this, &navigator](std::size_t rank) {
            emit navigator.placeRequested(m_chart->lanes().time, {m_session.report->model.ranks[rank].rank},
                                          u"<p>%1</p>"_s.arg(m_title->text()));
        });
    }

    void setSession(const Session& session) override
    {
        m_session = session;
        const timeline::Timeline* const all = session.timeline.get();
        m_collective.reset();
        if (all != nullptr) {
            const auto costliest = all->collectivesIn(all->extent, all->extent.length());
            m_collective = costliest.empty() ? std::nullopt : std::optional(costliest.front());
        }
        m_page->setVisible(m_collective.has_value());
        m_none->setVisible(all != nullptr && !m_collective);
        m_isShown = false;
        fill();
    }

protected:
    void showEvent(QShowEvent* event) override
    {
        View::showEvent(event);
        fill();
    }

private:
    /// With thousands of ranks this takes a while: only for somebody who looks.
    void fill()
    {
        if (m_isShown || !m_collective || !isVisible()) {
            return;
        }
        m_isShown = true;
        const model::Model& model = m_session.report->model;
        const timeline::MatchedCollective& each = m_session.timeline->collectives[*m_collective];
        const timeline::Description details =
            timeline::collectiveDetails(*m_session.report, *m_session.timeline, *m_collective);
        m_title->setText(u"<b>%1</b>: rank %2 arrived last, %3 after the first; the transfer took %4"_s.arg(
            toHtml(details.title), QString::number(model.ranks[each.lastRank].rank),
            toQt(values::durationText(each.lastArrivalNs - each.firstArrivalNs)),
            toQt(values::durationText(each.endNs - each.lastArrivalNs))));
        m_chart->setCollective(m_session, *m_collective);
        m_table->setTable(timeline::arrivalTable(model, *m_session.timeline, *m_collective));
    }

    Session m_session;
    std::optional<std::size_t> m_collective; ///< index into Timeline::collectives
    bool m_isShown = false;
    QWidget* m_page;
    EmptyPage* m_none;
    QLabel* m_title;
    LaneChart* m_chart;
    ReportTable* m_table;
};

} // namespace

RINGSIDE_VIEW(
    arrivals, .title = "Arrivals",
    .help = "When each rank came to a collective, how long it waited and transferred, side by side",
    .order = 15, .place = Place::Right, .create = [](Navigator& navigator, QWidget* parent) -> View* {
        return new ArrivalsView(navigator, parent);
    });

} // namespace ringside::gui::view_arrivals
