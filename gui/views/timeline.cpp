// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline of all ranks on one clock, with a search field, an overview of the whole run and a description
// of the selection.
#include "base/navigator.h"
#include "base/text.h"
#include "timeline/collective_details.h"
#include "timeline/kernel_family.h"
#include "timeline/overview.h"
#include "timeline/timeline_widget.h"
#include "values/text.h"
#include "views/view.h"
#include "widgets/hit_panel.h"
#include "widgets/range_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSettings>
#include <QShortcut>
#include <QSplitter>
#include <QTextBrowser>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

namespace ringside::gui::view_timeline {
namespace {

using namespace Qt::StringLiterals;
using timeline::Direction;

constexpr auto kListHits = "timeline/listHits"_L1; ///< setting

class TimelineView final : public View {
public:
    TimelineView(Navigator& navigator, QWidget* parent) : View(parent), m_navigator(navigator)
    {
        m_timeline = new TimelineWidget(this);
        m_timeline->setObjectName(u"timeline"_s);
        m_overview = new Overview(this);
        m_range = new RangePanel(this);
        m_hits = new HitPanel(this);
        m_details = new QTextBrowser(this);
        m_details->setAccessibleName(u"Selection"_s);
        m_details->setFrameShape(QFrame::NoFrame);
        m_details->setOpenLinks(false);
        setFocusProxy(m_timeline);
        auto* const both = new QSplitter(this);
        both->addWidget(lines());
        both->addWidget(m_details);
        both->setStretchFactor(0, 1);
        both->setSizes({900, 250});
        both->setChildrenCollapsible(true);
        auto* const all = new QVBoxLayout(this);
        all->setContentsMargins(0, 0, 0, 0);
        all->setSpacing(2);
        all->addLayout(searchLine());
        all->addWidget(both, 1);
        connect(
            &navigator, &Navigator::placeRequested, this,
            [this](const model::Interval& time, const std::vector<std::int64_t>& ranks, const QString& what) {
                m_timeline->showPlace(time, ranks);
                m_place = what;
                showSelection();
            });
        connect(&navigator, &Navigator::collectiveRequested, this,
                [this](const metrics::CollectiveGroup& group) {
                    if (m_session.timeline) {
                        m_timeline->showNextOf(
                            timeline::collectivesOf(m_session.report->model, *m_session.timeline, group));
                    }
                });
        connect(&navigator, &Navigator::spansRequested, this, [this](const timeline::SearchRequest& request) {
            m_timeline->find(request, Direction::Forward);
        });
        connect(m_timeline, &TimelineWidget::selectionChanged, &navigator, [this, &navigator] {
            if (m_chosen != m_timeline->range()) {
                m_chosen = m_timeline->range();
                emit navigator.rangeChosen(m_timeline->range());
            }
            if (m_timeline->collective()) {
                emit navigator.collectiveShown(*m_timeline->collective());
            }
        });
        connectTimeline();
    }

    void setSession(const Session& session) override
    {
        m_session = session;
        m_overview->setSession(session);
        m_timeline->setSession(session);
        if (session.timeline) {
            m_timeline->setRankOrder(static_cast<timeline::RankOrder>(m_order->currentIndex()));
        }
        showSelection();
        showResult();
    }

private:
    /// The timeline above the figures of a chosen time: the user divides the height between them.
    QWidget* lines()
    {
        auto* const part = new QSplitter(Qt::Vertical, this);
        auto* const picture = new QWidget(part);
        auto* const column = new QVBoxLayout(picture);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(0);
        column->addWidget(m_overview);
        column->addWidget(m_timeline, 1);
        part->addWidget(picture);
        part->addWidget(m_hits);
        part->addWidget(m_range);
        part->setCollapsible(0, false);
        part->setStretchFactor(0, 1);
        part->setSizes({300, 160, 160});
        return part;
    }

    void connectTimeline()
    {
        connect(m_timeline, &TimelineWidget::selectionChanged, this, [this] {
            m_place.clear();
            showSelection();
        });
        connect(m_timeline, &TimelineWidget::visibleChanged, m_overview, &Overview::setShown);
        connect(m_overview, &Overview::momentRequested, m_timeline, &TimelineWidget::showMoment);
        connect(m_overview, &Overview::rangeRequested, m_timeline,
                [this](const model::Interval& range) { m_timeline->showTime(range); });
        connect(m_timeline, &TimelineWidget::copyRequested, this, [this] {
            const QString text = m_range->isHidden() ? m_details->toPlainText() : m_range->text();
            QApplication::clipboard()->setText(text);
        });
        connect(m_timeline, &TimelineWidget::pictureRequested, this, [this] { savePicture(); });
        connect(m_timeline, &TimelineWidget::exportRequested, &m_navigator, &Navigator::exportRequested);
        connect(m_timeline, &TimelineWidget::findRequested, this, [this] {
            m_search->setFocus();
            m_search->selectAll();
        });
        connect(m_timeline, &TimelineWidget::hitsChanged, this, [this] { showResult(); });
        connect(m_hits, &HitPanel::hitChosen, m_timeline, &TimelineWidget::zoomToHit);
        connect(m_details, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
            if (link.scheme() == u"collective"_s) {
                m_timeline->showCollective(link.path().toULongLong());
            } else if (link.scheme() == u"row"_s) {
                emit m_navigator.collectiveRowRequested(link.path().toULongLong());
            } else {
                m_timeline->showMoment(link.fragment().toLongLong());
            }
            m_timeline->setFocus();
        });
    }

    void savePicture()
    {
        const QString path = QFileDialog::getSaveFileName(this, u"Save the picture"_s, u"timeline.png"_s,
                                                          u"Picture (*.png)"_s);
        if (!path.isEmpty()) {
            m_result->setText(m_timeline->grab().save(path) ? u"Saved as %1"_s.arg(path)
                                                            : u"Cannot write %1"_s.arg(path));
        }
    }

    void showSelection()
    {
        m_range->setRange(m_session, m_session.timeline ? m_timeline->range() : std::nullopt);
        m_details->setHtml(selectionHtml() + marksHtml());
    }

    /// Each mark is a link, so that the keyboard reaches it.
    [[nodiscard]] QString marksHtml() const
    {
        constexpr double kSecond = 1e9;
        const std::vector<std::int64_t>& times = m_timeline->marks().times();
        QString html = times.empty() ? QString() : u"<h4>Marks</h4>"_s;
        for (std::size_t i = 0; i < times.size(); ++i) {
            const QString name = toQt(m_timeline->marks().nameOf(times[i])).toHtmlEscaped();
            html += u"<div><a href=\"#%1\">%2: %3 s</a> %4"_s.arg(times[i])
                        .arg(i + 1)
                        .arg(static_cast<double>(times[i]) / kSecond, 0, 'f', 6)
                        .arg(name);
            if (i > 0) {
                html += u" (%1 after %2)"_s.arg(toQt(values::durationText(times[i] - times[i - 1]))).arg(i);
            }
            html += u"</div>"_s;
        }
        return html;
    }

    QHBoxLayout* searchLine()
    {
        auto* const line = new QHBoxLayout;
        line->setContentsMargins(6, 2, 6, 0);
        m_search = new QLineEdit(this);
        m_search->setAccessibleName(u"Find in the timeline"_s);
        m_search->setPlaceholderText(u"Find a kernel, call or range ( / )"_s);
        m_search->setClearButtonEnabled(true);
        m_search->setFixedWidth(scaled(300));
        m_result = new QLabel(this);
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
        auto* const leave = new QShortcut(Qt::Key_Escape, m_search);
        leave->setContext(Qt::WidgetShortcut);
        connect(leave, &QShortcut::activated, this, [this] {
            m_search->clear();
            search(Direction::Forward); // takes the marks of the last one away
            m_timeline->setFocus();
        });
        line->addWidget(m_search);
        line->addWidget(button(Qt::LeftArrow, u"Previous match"_s, Direction::Backward));
        line->addWidget(button(Qt::RightArrow, u"Next match"_s, Direction::Forward));
        line->addWidget(m_result);
        line->addWidget(listButton());
        line->addStretch(1);
        addChoices(line);
        return line;
    }

    /// Shows or hides the list of all matches; remembered.
    QToolButton* listButton()
    {
        auto* const button = new QToolButton(this);
        button->setText(u"List"_s);
        button->setAccessibleName(u"List all matches"_s);
        button->setToolTip(u"Lists all matches by time, with rank, stream or thread and duration"_s);
        button->setCheckable(true);
        button->setAutoRaise(true);
        button->setChecked(QSettings().value(kListHits, false).toBool());
        m_hits->setVisible(button->isChecked());
        connect(button, &QToolButton::toggled, this, [this](bool on) {
            QSettings().setValue(kListHits, on);
            m_hits->setVisible(on);
            showResult();
        });
        return button;
    }

    /// The order of the ranks, and which tracks are shown.
    void addChoices(QHBoxLayout* line)
    {
        m_order = new QComboBox(this);
        m_order->setAccessibleName(u"Order of ranks"_s);
        m_order->setToolTip(u"Order of the ranks"_s);
        m_order->addItems({u"by rank"_s, u"by host"_s, u"by stage or group"_s, u"most often last first"_s,
                           u"least useful first"_s});
        connect(m_order, &QComboBox::currentIndexChanged, this,
                [this](int index) { m_timeline->setRankOrder(static_cast<timeline::RankOrder>(index)); });
        auto* const tracks = new QLineEdit(this);
        tracks->setAccessibleName(u"Show only tracks of this name"_s);
        tracks->setPlaceholderText(u"tracks"_s);
        tracks->setToolTip(u"Show only tracks whose names contain this text"_s);
        tracks->setClearButtonEnabled(true);
        tracks->setMaximumWidth(scaled(140));
        connect(tracks, &QLineEdit::textChanged, m_timeline, &TimelineWidget::setTrackFilter);
        line->addWidget(m_order);
        line->addWidget(tracks);
    }

    void search(Direction direction)
    {
        m_result->setText(m_search->text().isEmpty() ? QString() : u"searching …"_s);
        m_timeline->find({m_search->text().toStdString(), std::nullopt, std::nullopt}, direction);
    }

    void showResult()
    {
        const timeline::Hits* const hits = m_timeline->hits();
        QString text;
        if (hits != nullptr) {
            const QString name =
                hits->request.group ? toQt(timeline::shortName(hits->request.text)) + u": "_s : QString();
            text = hits->count == 0 ? name + u"Nothing of this name in the run."_s
                                    : name + u"%L1 of %L2"_s.arg(m_timeline->hitNumber()).arg(hits->count);
            if (hits->count > timeline::Hits::kMost) {
                text += u" (the first %L1 are marked)"_s.arg(timeline::Hits::kMost);
            }
        }
        m_result->setText(text);
        m_result->setAccessibleName(u"Result of the search: "_s + text); // a name hides the text from readers
        if (!m_hits->isHidden()) {
            m_hits->setHits(m_session, hits, m_timeline->hitNumber());
        }
    }

    [[nodiscard]] QString selectionHtml() const
    {
        const auto selected = m_timeline->selected();
        if (!m_place.isEmpty()) {
            return m_place + u"<hr>"_s + colours();
        }
        if (!m_session.timeline || !selected) {
            return m_session.timeline && m_timeline->collective() ? collectiveHtml() : legend();
        }
        if (m_timeline->collective()) {
            return collectiveHtml() + spanHtml(*selected);
        }
        return spanHtml(*selected);
    }

    /// The collective with a table of arrivals, and links to its neighbours and to its row.
    [[nodiscard]] QString collectiveHtml() const
    {
        constexpr std::size_t kMostRanks = 64;
        const std::size_t index = *m_timeline->collective();
        const timeline::Timeline& all = *m_session.timeline;
        const timeline::Description text = timeline::collectiveDetails(*m_session.report, all, index);
        QString html = u"<h4>"_s + toHtml(text.title) + u"</h4><table cellpadding=2>"_s;
        for (const auto& [what, value] : text.lines) {
            html += u"<tr><td><i>%1</i>&nbsp;</td><td>%2</td></tr>"_s.arg(toHtml(what), toHtml(value));
        }
        html += u"</table><p>"_s;
        for (const auto& [direction, words] :
             {std::pair(Direction::Backward, u"previous"_s), std::pair(Direction::Forward, u"next"_s)}) {
            if (const auto other =
                    timeline::neighbourInCommunicator(m_session.report->model, all, index, direction)) {
                html +=
                    u"<a href=\"collective:%1\">%2 of this communicator</a> &nbsp; "_s.arg(*other).arg(words);
            }
        }
        html += u"<a href=\"row:%1\">all like it</a></p><table cellpadding=2><tr>"_s.arg(
            all.collectives[index].operation);
        const document::Table arrivals = timeline::arrivalTable(m_session.report->model, all, index);
        for (const std::string& title : arrivals.header) {
            html += u"<td><i>%1</i>&nbsp;</td>"_s.arg(toHtml(title));
        }
        for (std::size_t row = 0; row < std::min(kMostRanks, arrivals.rows.size()); ++row) {
            html += u"</tr><tr>"_s;
            for (const document::Cell& cell : arrivals.rows[row]) {
                html += u"<td align=right>%1</td>"_s.arg(toHtml(document::cellText(cell)));
            }
        }
        return html + u"</tr></table>"_s;
    }

    [[nodiscard]] QString spanHtml(const timeline::SpanId& selected) const
    {
        const timeline::Description text =
            timeline::describe(m_session.report->model, *m_session.timeline, selected);
        QString html = u"<h4>"_s + toHtml(text.title) + u"</h4><table cellpadding=2>"_s;
        for (const auto& [what, value] : text.lines) {
            html += u"<tr><td><i>%1</i>&nbsp;</td><td>%2</td></tr>"_s.arg(toHtml(what), toHtml(value));
        }
        return html + u"</table>"_s;
    }

    [[nodiscard]] QString legend() const
    {
        return u"<p><b>Nothing is selected.</b> Click a span or choose a finding.</p>"_s + colours() +
               u"<p>W S: zoom. A D: move. [ ]: previous and next collective. F: the selection, then the "
               u"whole run. "
               u"Backspace: undo zoom. H: host threads. L: samples. M: mark. Shift and drag: figures of a "
               u"time range. F1: all keys.</p>"_s;
    }

    [[nodiscard]] QString colours() const
    {
        using timeline::SpanKind;
        const Theme& theme = themeOf(palette());
        const auto row = [](const QColor& colour, const QString& text) {
            return u"<tr><td bgcolor=\"%1\">&nbsp;&nbsp;&nbsp;&nbsp;</td><td>%2</td></tr>"_s.arg(
                colour.name(), text);
        };
        const bool byFamily = m_timeline->isByFamily();
        QString html = u"<table cellpadding=2>"_s;
        for (std::size_t i = 0; byFamily && i < timeline::kWorkFamilies; ++i) {
            const auto family = static_cast<timeline::WorkFamily>(i);
            html += row(theme.of(family), toQt(timeline::familyName(family)));
        }
        for (const auto& [kind, text] :
             {std::pair(SpanKind::Compute, u"compute"_s),
              std::pair(SpanKind::Wait, u"waiting for the last rank"_s),
              std::pair(SpanKind::Transfer, u"communication"_s), std::pair(SpanKind::Copy, u"copy or set"_s),
              std::pair(SpanKind::NcclCall, u"NCCL call of the host"_s),
              std::pair(SpanKind::Range, u"user range (NVTX)"_s),
              std::pair(SpanKind::ApiCall, u"CUDA call"_s),
              std::pair(SpanKind::PythonCall, u"Python function"_s)}) {
            const bool isWork =
                kind == SpanKind::Compute || kind == SpanKind::Transfer || kind == SpanKind::Copy;
            html += byFamily && isWork ? QString() : row(theme.of(kind), text);
        }
        html += u"<tr><td align=center>&#9660;</td><td>arrived last at a collective</td></tr></table>"_s;
        return byFamily
                   ? html + u"<p>By family (K: by kind). Where a pixel holds several kernels, the longest "
                            u"one colours all. Strips and the overview are by kind.</p>"_s
                   : html;
    }

    Navigator& m_navigator;
    Session m_session;
    std::optional<model::Interval> m_chosen; ///< the range that others were told of
    QString m_place; ///< HTML about the place that another view requested, until something is selected
    TimelineWidget* m_timeline;
    Overview* m_overview;
    RangePanel* m_range;
    HitPanel* m_hits;
    QTextBrowser* m_details;
    QLineEdit* m_search = nullptr;
    QLabel* m_result = nullptr;
    QComboBox* m_order = nullptr;
};

} // namespace

RINGSIDE_VIEW(
    timeline, .title = "Timeline", .help = "All ranks, streams and threads on one clock", .order = 3,
    .place = Place::Bottom, .create = [](Navigator& navigator, QWidget* parent) -> View* {
        return new TimelineView(navigator, parent);
    });

} // namespace ringside::gui::view_timeline
