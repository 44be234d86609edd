// SPDX-License-Identifier: GPL-3.0-or-later
// What takes the time in the chosen stretch, or in the whole run: kernels, communication, copies, ranges and
// calls, added up by name, family, rank or stream. A row leads to its spans.
#include "base/navigator.h"
#include "base/text.h"
#include "values/text.h"
#include "views/view.h"
#include "widgets/report_table.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <thread>

namespace ringside::gui::view_statistics {
namespace {

using namespace Qt::StringLiterals;
using timeline::Grouping;
using timeline::GroupRequest;
using timeline::SpanTable;

class StatisticsView final : public View {
public:
    StatisticsView(Navigator& navigator, QWidget* parent) : View(parent), m_navigator(navigator)
    {
        m_what = choice(u"What is added up"_s,
                        {u"Kernels"_s, u"Communication"_s, u"Copies"_s, u"Ranges"_s, u"Calls of the host"_s,
                         u"Ranges projected on the GPU"_s, u"Python functions"_s});
        m_by =
            choice(u"Added up by"_s, {u"by name"_s, u"by family"_s, u"by rank"_s, u"by stream or thread"_s});
        m_by->setObjectName(u"statisticsBy"_s);
        m_rank = choice(u"Ranks"_s, {u"all ranks"_s});
        m_title = new QLabel(this);
        m_title->setMargin(3);
        m_title->setWordWrap(true);
        m_table = new ReportTable(u"Statistics of the chosen time"_s, ReportTable::Height::Fill, this);
        m_table->setToolTip(u"A row marks its spans in the timeline; again: the next one"_s);
        setFocusProxy(m_table);
        auto* const line = new QHBoxLayout;
        line->setContentsMargins(6, 2, 6, 0);
        for (QComboBox* const each : {m_what, m_by, m_rank}) {
            line->addWidget(each);
        }
        line->addStretch();
        auto* const lines = new QVBoxLayout(this);
        lines->setContentsMargins(0, 0, 0, 0);
        lines->setSpacing(2);
        lines->addLayout(line);
        lines->addWidget(m_title);
        lines->addWidget(m_table, 1);
        connect(&navigator, &Navigator::rangeChosen, this,
                [this](const std::optional<model::Interval>& range) {
                    m_range = range;
                    compute();
                });
        connect(m_table, &ReportTable::rowChosen, this, [this](int row) { showSpans(row); });
    }
    ~StatisticsView() override { m_stop = true; }

    void setSession(const Session& session) override
    {
        if (m_session.report != session.report) {
            if (!session.isFollowed) {
                m_range.reset();
            }
            fillRanks(session.report->model);
        }
        m_session = session;
        compute();
    }

protected:
    void showEvent(QShowEvent* event) override
    {
        View::showEvent(event);
        if (m_stale) {
            compute();
        }
    }

private:
    QComboBox* choice(const QString& name, const QStringList& texts)
    {
        auto* const box = new QComboBox(this);
        box->setAccessibleName(name);
        box->setToolTip(name);
        box->addItems(texts);
        connect(box, &QComboBox::currentIndexChanged, this, [this] { compute(); });
        return box;
    }

    void fillRanks(const model::Model& model)
    {
        const QSignalBlocker quiet(m_rank);
        const QString chosen = m_rank->currentText();
        m_rank->clear();
        m_rank->addItem(u"all ranks"_s);
        for (const model::Rank& rank : model.ranks) {
            m_rank->addItem(u"rank %1"_s.arg(rank.rank));
        }
        m_rank->setCurrentIndex(std::max(0, m_rank->findText(chosen)));
    }

    [[nodiscard]] GroupRequest request() const
    {
        GroupRequest request{static_cast<SpanTable>(m_what->currentIndex()),
                             static_cast<Grouping>(m_by->currentIndex()),
                             m_range.value_or(m_session.timeline->extent), std::nullopt};
        if (m_rank->currentIndex() > 0) {
            request.rank = static_cast<std::size_t>(m_rank->currentIndex() - 1);
        }
        return request;
    }

    /// One computation runs at a time. What is chosen meanwhile is computed next.
    void compute()
    {
        m_stale = !isVisible();
        if (!m_session.timeline || m_stale) {
            return; // a large run takes a second or two: only for somebody who looks
        }
        if (m_computing) {
            m_again = true;
            return;
        }
        m_computing = true;
        m_title->setText(u"adding up …"_s);
        m_worker = std::jthread([this, session = m_session, wanted = request()] {
            const auto groups = std::make_shared<const std::vector<timeline::SpanGroup>>(timeline::groupsOf(
                session.report->model, *session.timeline, wanted, [this] { return m_stop.load(); }));
            QMetaObject::invokeMethod(
                this, [this, wanted, groups] { show(wanted, *groups); }, Qt::QueuedConnection);
        });
    }

    using View::show;
    void show(const GroupRequest& wanted, const std::vector<timeline::SpanGroup>& groups)
    {
        m_computing = false;
        if (std::exchange(m_again, false)) {
            compute();
            return;
        }
        m_shown = wanted;
        m_names.clear();
        for (const timeline::SpanGroup& group : groups) {
            m_names.push_back(group.name);
        }
        m_table->setTable(timeline::tableOf(groups, wanted), timeline::shownNames(groups, wanted));
        const QString length = toQt(values::durationText(wanted.range.length()));
        m_title->setText(
            groups.empty() ? u"Nothing of this kind was recorded here."_s
            : m_range      ? u"the chosen %1"_s.arg(length)
                      : u"the whole run, %1 (Shift and drag in the timeline chooses a part)"_s.arg(length));
    }

    void showSpans(int row)
    {
        emit m_navigator.spansRequested(
            {m_names[static_cast<std::size_t>(row)], std::pair(m_shown.table, m_shown.by), m_shown.rank});
    }

    Navigator& m_navigator;
    Session m_session;
    std::optional<model::Interval> m_range;
    GroupRequest m_shown;
    std::vector<std::string> m_names; ///< of the groups that are shown, by row
    bool m_computing = false;
    bool m_again = false;
    bool m_stale = true;
    std::atomic<bool> m_stop = false;
    QComboBox* m_what;
    QComboBox* m_by;
    QComboBox* m_rank;
    QLabel* m_title;
    ReportTable* m_table;
    std::jthread m_worker; ///< joined before the widgets go
};

} // namespace

RINGSIDE_VIEW(
    statistics, .title = "Statistics",
    .help = "Kernels, communication, copies, ranges and calls of the chosen time, added up", .order = 5,
    .place = Place::Right, .create = [](Navigator& navigator, QWidget* parent) -> View* {
        return new StatisticsView(navigator, parent);
    });

} // namespace ringside::gui::view_statistics
