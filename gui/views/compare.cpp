// SPDX-License-Identifier: GPL-3.0-or-later
// Compares this run with a base: the analyzer's comparison as tables, and both timelines. The timelines are
// linked: each shows the same part of the same step as the other.
#include "base/navigator.h"
#include "base/open_job.h"
#include "base/text.h"
#include "compare/aligned_time.h"
#include "compare/comparison.h"
#include "timeline/kernel_family.h"
#include "timeline/timeline_widget.h"
#include "views/view.h"
#include "widgets/empty_page.h"
#include "widgets/pages.h"
#include "widgets/report_table.h"

#include <QFileDialog>
#include <QLabel>
#include <QProgressBar>
#include <QSplitter>
#include <QStackedLayout>
#include <QTabWidget>
#include <QTextBrowser>
#include <QVBoxLayout>

#include <thread>

namespace ringside::gui::view_compare {
namespace {

using namespace Qt::StringLiterals;

/// A timeline below a line that names its run.
class LabelledTimeline final : public QWidget {
public:
    LabelledTimeline(const QString& name, QWidget* parent)
        : QWidget(parent), m_label(new QLabel(this)), m_timeline(new TimelineWidget(this))
    {
        m_timeline->setAccessibleName(name);
        m_label->setMargin(3);
        auto* const lines = new QVBoxLayout(this);
        lines->setContentsMargins(0, 0, 0, 0);
        lines->setSpacing(0);
        lines->addWidget(m_label);
        lines->addWidget(m_timeline, 1);
    }
    void setSession(const QString& what, const Session& session)
    {
        const QString path = session.paths.empty() ? QString() : toQt(session.paths.front().string());
        m_label->setText(u"<b>%1</b> %2"_s.arg(what, path.toHtmlEscaped()));
        m_timeline->setSession(session);
    }
    [[nodiscard]] TimelineWidget& timeline() const { return *m_timeline; }

private:
    QLabel* m_label;
    TimelineWidget* m_timeline;
};

class CompareView final : public View {
public:
    CompareView(Navigator& navigator, QWidget* parent) : View(parent)
    {
        m_pages = new QStackedLayout(this);
        const Act choose = [this] { chooseBase(); };
        auto* const nothing = new EmptyPage(this);
        nothing->setText(
            u"Nothing to compare with yet"_s,
            u"<p>Choose another run of the same job as the base, or drop one on this window: its "
            u"steps, kernels and collectives are then shown beside those of this run, with a verdict, "
            u"and both timelines move together.</p><p><code>ringside diff BASE NEW --gate 3</code> "
            u"makes the same comparison in a script.</p>"_s);
        nothing->offer(u"Choose a run…"_s, u"A run directory to compare with"_s, choose);
        nothing->offer(u"Choose files…"_s, u"A merged run, or traces of other tools, to compare with"_s,
                       [this] { chooseBaseFiles(); });
        m_pages->addWidget(nothing);
        const OpeningPage opening = openingPage([this] {
            m_job->cancel();
            showPage(Page::Nothing);
        });
        m_opening = opening.text;
        m_progress = opening.bar;
        m_pages->addWidget(opening.page);
        const FailurePage failure = failurePage(choose, [this] { openBase(m_base.paths); });
        m_failure = failure.text;
        m_pages->addWidget(failure.page);
        connect(&navigator, &Navigator::baseRequested, this,
                [this](const Paths& paths) { paths.empty() ? chooseBase() : openBase(paths); });
    }

    void setSession(const Session& session) override
    {
        const bool other = m_session.report != session.report;
        m_session = session;
        if (m_result != nullptr) {
            m_now->setSession(u"This run"_s, m_session);
        }
        if (other) {
            compare();
        }
        align();
    }

private:
    enum class Page : std::uint8_t { Nothing, Opening, Failed };

    void showPage(Page page) { m_pages->setCurrentIndex(static_cast<int>(page)); }

    void chooseBase()
    {
        const QString path = QFileDialog::getExistingDirectory(this, u"Compare with a run"_s);
        if (!path.isEmpty()) {
            openBase({path.toStdString()});
        }
    }

    void chooseBaseFiles()
    {
        const QStringList files =
            QFileDialog::getOpenFileNames(this, u"Compare with files of one run"_s, {}, fileFilters());
        if (!files.isEmpty()) {
            Paths paths;
            std::ranges::transform(files, std::back_inserter(paths),
                                   [](const QString& file) { return file.toStdString(); });
            openBase(paths);
        }
    }

    void openBase(const Paths& paths)
    {
        m_base = {paths, nullptr, nullptr, nullptr};
        m_opening->setText(u"<h3>Opening %1 to compare with</h3>"_s.arg(
            toQt(paths.front().filename().string()).toHtmlEscaped()));
        m_progress->setRange(0, 0);
        m_job = std::make_unique<OpenJob>(paths);
        connect(m_job.get(), &OpenJob::stageChanged, m_progress, &QProgressBar::setFormat);
        connect(m_job.get(), &OpenJob::failed, this, [this](const Failure& failure) {
            m_failure->setText(u"<h3>The run to compare with cannot be opened</h3><p>%1</p><p>%2</p>"_s.arg(
                failure.what.toHtmlEscaped(), failure.hint.toHtmlEscaped()));
            showPage(Page::Failed);
        });
        connect(m_job.get(), &OpenJob::sessionReady, this, [this](const Session& base) { setBase(base); });
        showPage(Page::Opening);
        m_job->start();
    }

    void setBase(const Session& base)
    {
        const bool first = base.report != m_base.report;
        m_base = base;
        if (m_result == nullptr) {
            makeResult();
        }
        m_old->setSession(u"Base"_s, m_base);
        m_now->setSession(u"This run"_s, m_session);
        if (first) {
            compare();
        }
        align();
    }

    void makeResult()
    {
        m_result = new QSplitter(this);
        auto* const timelines = new QSplitter(Qt::Vertical, m_result);
        m_old = new LabelledTimeline(u"Timeline of the base run"_s, timelines);
        m_now = new LabelledTimeline(u"Timeline of this run, beside the base"_s, timelines);
        timelines->addWidget(m_old);
        timelines->addWidget(m_now);
        auto* const words = new QWidget(m_result);
        auto* const lines = new QVBoxLayout(words);
        lines->setContentsMargins(0, 0, 0, 0);
        m_sentence = new QLabel(words);
        m_sentence->setObjectName(u"comparison"_s);
        m_sentence->setWordWrap(true);
        m_sentence->setMargin(6);
        m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
        lines->addWidget(m_sentence);
        lines->addWidget(tables(words), 1);
        m_result->addWidget(timelines);
        m_result->addWidget(words);
        m_result->setSizes({700, 700});
        m_pages->addWidget(m_result);
        setFocusProxy(m_metrics);
        connect(&m_old->timeline(), &TimelineWidget::visibleChanged, this,
                [this](const model::Interval& time) { follow(m_now->timeline(), m_aligned.toNow(time)); });
        connect(&m_now->timeline(), &TimelineWidget::visibleChanged, this,
                [this](const model::Interval& time) { follow(m_old->timeline(), m_aligned.toBase(time)); });
    }

    QTabWidget* tables(QWidget* parent)
    {
        auto* const tabs = new QTabWidget(parent);
        tabs->setDocumentMode(true);
        tabs->setAccessibleName(u"What is compared"_s);
        m_metrics = new ReportTable(u"Metrics of both runs"_s, ReportTable::Height::Fill, tabs);
        m_kernels = new ReportTable(u"Kernels of both runs"_s, ReportTable::Height::Fill, tabs);
        m_collectives = new ReportTable(u"Collectives of both runs"_s, ReportTable::Height::Fill, tabs);
        m_remarks = new QTextBrowser(tabs);
        m_remarks->setAccessibleName(u"Findings and remarks"_s);
        m_remarks->setFrameShape(QFrame::NoFrame);
        tabs->addTab(withTitle(m_metrics, toQt(compare::kMetricTitle)), u"A step"_s);
        tabs->addTab(m_kernels, u"Kernels"_s);
        tabs->addTab(m_collectives, u"Collectives"_s);
        tabs->addTab(m_remarks, u"Findings and remarks"_s);
        return tabs;
    }

    static QWidget* withTitle(QWidget* table, const QString& title)
    {
        auto* const page = new QWidget(table->parentWidget());
        auto* const label = new QLabel(title, page);
        label->setWordWrap(true);
        label->setMargin(4);
        auto* const lines = new QVBoxLayout(page);
        lines->setContentsMargins(0, 0, 0, 0);
        lines->setSpacing(0);
        lines->addWidget(label);
        lines->addWidget(table, 1);
        return page;
    }

    /// Runs in the background: the bootstrap over the steps takes time.
    void compare()
    {
        if (!m_base.report || !m_session.report || m_result == nullptr) {
            return;
        }
        m_sentence->setText(u"Comparing …"_s);
        m_worker = std::jthread([this, base = m_base.report, now = m_session.report] {
            const auto result = std::make_shared<const compare::Comparison>(
                compare::compareRuns(*base, *now, compare::kUsualTolerance));
            QMetaObject::invokeMethod(
                this,
                [this, result, base, now] {
                    if (base == m_base.report && now == m_session.report) {
                        show(*result);
                    }
                },
                Qt::QueuedConnection);
        });
    }

    using View::show;
    void show(const compare::Comparison& comparison)
    {
        m_sentence->setText(u"<b>%1</b>"_s.arg(toHtml(compare::sentenceOf(comparison))));
        m_metrics->setTable(compare::metricTable(comparison));
        std::vector<std::string> kernels;
        std::ranges::transform(comparison.kernels, std::back_inserter(kernels), &compare::Item::name);
        m_kernels->setTable(compare::itemTable(comparison.kernels), timeline::shortNames(kernels));
        m_collectives->setTable(compare::itemTable(comparison.collectives));
        const auto list = [](const QString& title, const std::vector<std::string>& lines) -> QString {
            QString html = u"<p><b>%1</b><br>"_s.arg(title);
            for (const std::string& line : lines) {
                html += toHtml(line) + u"<br>"_s;
            }
            return html + (lines.empty() ? u"none</p>"_s : u"</p>"_s);
        };
        m_remarks->setHtml(list(u"Findings of this run only"_s, comparison.newFindings) +
                           list(u"Findings of the base only"_s, comparison.goneFindings) +
                           list(u"Comparability"_s, comparison.remarks));
    }

    void align()
    {
        if (!m_base.report || !m_session.report || m_result == nullptr) {
            return;
        }
        m_aligned = compare::AlignedTime(m_base.report->model, m_session.report->model);
        m_pages->setCurrentWidget(m_result);
    }

    void follow(TimelineWidget& other, const model::Interval& time)
    {
        if (m_following) {
            return; // the timeline that follows must not move the other one
        }
        m_following = true;
        other.showTime(time, ZoomHistory::Step::Same);
        m_following = false;
    }

    Session m_session;
    Session m_base;
    compare::AlignedTime m_aligned;
    bool m_following = false;
    QStackedLayout* m_pages;
    QLabel* m_opening;
    QProgressBar* m_progress;
    QLabel* m_failure;
    QSplitter* m_result = nullptr; ///< and its contents, made for the first base
    LabelledTimeline* m_old = nullptr;
    LabelledTimeline* m_now = nullptr;
    QLabel* m_sentence = nullptr;
    ReportTable* m_metrics = nullptr;
    ReportTable* m_kernels = nullptr;
    ReportTable* m_collectives = nullptr;
    QTextBrowser* m_remarks = nullptr;
    std::unique_ptr<OpenJob> m_job;
    std::jthread m_worker; ///< joined before the widgets go
};

} // namespace

RINGSIDE_VIEW(
    compare, .title = "Compare", .help = "This run beside another one: what got faster or slower",
    .order = 11, .place = Place::Bottom, .create = [](Navigator& navigator, QWidget* parent) -> View* {
        return new CompareView(navigator, parent);
    });

} // namespace ringside::gui::view_compare
