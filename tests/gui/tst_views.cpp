// SPDX-License-Identifier: GPL-3.0-or-later
// Views that need more of a run than the others: SQL, a second run, samples, ports.
#include "app/main_window.h"
#include "app/slice_export.h"
#include "fixture.h"
#include "report/report_tables.h"
#include "support/trace_builder.h"
#include "timeline/range_statistics.h"
#include "timeline/timeline_widget.h"
#include "widgets/lane_chart.h"
#include "widgets/line_plot.h"
#include "widgets/link_map.h"
#include "widgets/picture_menu.h"
#include "widgets/report_table.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QDockWidget>
#include <QDropEvent>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLabel>
#include <QMenu>
#include <QMimeData>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>
#include <QUrl>

namespace ringside::gui {

using namespace Qt::StringLiterals;

constexpr int kPatienceMs = 30'000;

/// A process's memory with a hole in it, and a port that carries more and more.
void addSamples(ringside::test::TraceBuilder& builder)
{
    constexpr std::int64_t kEveryNs = 5'000'000;
    constexpr std::int64_t kMebibyte = 1 << 20;
    for (int rank = 0; rank < builder.ranks(); ++rank) {
        const std::int64_t start = builder.process(rank).process.startNs;
        for (int i = 0; i < 24; ++i) {
            const std::int64_t time = start + i * kEveryNs;
            if (i < 8 || i > 13) {
                builder.sample(rank, {0, "process", "process", "rss_bytes", "gauge"}, time,
                               (900 + 40 * rank + i * i) * kMebibyte);
            }
            if (rank == 0) {
                builder.sample(rank, {0, "rdma", "mlx5_0:1", "tx_bytes", "counter"}, time, i * i * kMebibyte);
                builder.sample(rank, {0, "rdma", "mlx5_0:1", "rate_mbps", "gauge"}, time, 200'000);
            }
        }
    }
}

ringside::test::TraceBuilder sampledRun()
{
    ringside::test::TraceBuilder builder(4);
    builder.steps(12, [](ringside::test::StepBuilder& step) {
        step.everyRank().compute(std::chrono::milliseconds(6), {.launches = 4});
        step.rank(2).compute(std::chrono::milliseconds(5));
        step.allReduce(8 << 20, {.takes = std::chrono::milliseconds(2)});
    });
    addSamples(builder);
    return builder;
}

class TestViews final : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        m_run = m_folder.filePath(u"sampled.ringside"_s).toStdString();
        sampledRun().write(m_run);
    }

    void init()
    {
        m_window = std::make_unique<MainWindow>();
        m_window->setAttribute(Qt::WA_DeleteOnClose, false);
        m_window->resize(1400, 900);
        m_window->show();
        const QSignalSpy ready(m_window.get(), &MainWindow::timelineReady);
        m_window->open({m_run});
        QTRY_COMPARE_WITH_TIMEOUT(ready.count(), 1, kPatienceMs);
    }
    void cleanup() { m_window.reset(); }

    void tablesSortByValueNotByText()
    {
        using namespace std::chrono_literals;
        using ringside::test::operator""_KiB;
        using ringside::test::operator""_MiB;
        ringside::test::TraceBuilder builder(2);
        builder.steps(6, [](ringside::test::StepBuilder& step) {
            step.everyRank().compute(3ms);
            step.allReduce(12_MiB, {.takes = 2ms});
            step.allReduce(512_KiB, {.takes = 1ms});
            step.allReduce(96, {.takes = 100us});
        });
        const report::Report report = report::buildReport(builder.run(), {});
        ReportTable view(u"Collectives"_s, ReportTable::Height::Fill);
        view.setTable(report::collectiveTable(report));
        QCOMPARE(sortedColumn(view, 2), QStringList({u"96 B"_s, u"512.0 KiB"_s, u"12.00 MiB"_s}));

        const auto timeline = timeline::buildTimeline(report.model);
        const auto ranks = timeline::statisticsOf(report.model, timeline, {0, 25'000'000});
        auto shortest = ranks;
        shortest[1].device->computeNs = 40'000; // 40.000 us is less than 15 ms
        view.setTable(timeline::tableOf(report.model, shortest));
        QCOMPARE(sortedColumn(view, 0), QStringList({u"0"_s, u"1"_s}));
        view.sortByColumn(1, Qt::AscendingOrder);
        QCOMPARE(view.model()->index(0, 0).data().toString(), u"1"_s);
    }

    void aSecondRunIsComparedAndItsTimelineFollows()
    {
        m_window->compareWith({m_run});
        auto* const dock = view(u"compare"_s);
        QTRY_COMPARE_WITH_TIMEOUT(dock->findChildren<TimelineWidget*>().size(), 2, kPatienceMs);
        auto* const sentence = dock->findChild<QLabel*>(u"comparison"_s);
        QTRY_VERIFY_WITH_TIMEOUT(sentence->text().contains(u"The same"_s), kPatienceMs);
        const QList<TimelineWidget*> both = dock->findChildren<TimelineWidget*>();
        const Interval all = m_window->session().timeline->extent;
        QTRY_VERIFY_WITH_TIMEOUT(both[0]->visible().length() > 0, kPatienceMs); // it is built
        const Interval part{all.start + all.length() / 4, all.start + all.length() / 2};
        both[0]->showTime(part);
        QCOMPARE(both[1]->visible().length(), both[0]->visible().length());
        QVERIFY(std::abs(both[1]->visible().start - both[0]->visible().start) <= 2); // the same run
        QTest::keyClick(both[1], Qt::Key_W);
        QCOMPARE(both[0]->visible().length(), both[1]->visible().length());
    }

    void whatCannotBeComparedSaysSo()
    {
        m_window->compareWith({"/nothing/here"});
        auto* const dock = view(u"compare"_s);
        const auto saysSo = [&] {
            const QList<QLabel*> labels = dock->findChildren<QLabel*>();
            return std::ranges::any_of(labels, [](const QLabel* label) {
                return label->isVisible() && label->text().contains(u"cannot be opened"_s);
            });
        };
        QTRY_VERIFY_WITH_TIMEOUT(saysSo(), kPatienceMs);
    }

    void aSecondRunThatIsDroppedMayBeCompared()
    {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(QString::fromStdString(m_run.string()))});
        QDragEnterEvent enter({100, 100}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(m_window.get(), &enter);
        QDropEvent event({100, 100}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(m_window.get(), &event);
        auto* const choice = m_window->findChild<QMenu*>(u"dropChoice"_s);
        QVERIFY(choice != nullptr);
        choice->actions().front()->trigger();
        choice->close();
        QTRY_COMPARE_WITH_TIMEOUT(view(u"compare"_s)->findChildren<TimelineWidget*>().size(), 2, kPatienceMs);
    }

    void statisticsAreOfTheWholeRunOrOfWhatIsChosen()
    {
        auto* const dock = view(u"statistics"_s);
        raise(dock);
        auto* const table = dock->findChild<ReportTable*>();
        QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), 1, kPatienceMs); // one kernel
        const int count = column(*table, u"count"_s);
        const int all = table->model()->index(0, count).data().toInt();
        QCOMPARE(all, 12 * (4 * 4 + 1));
        auto* const timeline = view(u"timeline"_s)->findChild<TimelineWidget*>();
        const Interval extent = m_window->session().timeline->extent;
        timeline->setRange(Interval{extent.start, extent.start + extent.length() / 2});
        QTRY_VERIFY_WITH_TIMEOUT(table->model()->index(0, count).data().toInt() < all, kPatienceMs);
        dock->findChild<QComboBox*>(u"statisticsBy"_s)->setCurrentIndex(2); // by rank
        QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), 4, kPatienceMs);
        QCOMPARE(table->model()->index(0, column(*table, u"name"_s)).data().toString(), u"rank 2"_s);
        timeline->setRange(std::nullopt);
    }

    void aRowOfTheStatisticsMarksItsSpansAndShowsOneAfterTheOther()
    {
        auto* const dock = view(u"statistics"_s);
        raise(dock);
        auto* const table = dock->findChild<ReportTable*>();
        auto* const timeline = view(u"timeline"_s)->findChild<TimelineWidget*>();
        QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), 1, kPatienceMs);
        for (std::size_t click = 1; click <= 2; ++click) {
            QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                              table->visualRect(table->model()->index(0, 0)).center());
            QTRY_COMPARE_WITH_TIMEOUT(timeline->hitNumber(), click, kPatienceMs);
        }
        QCOMPARE(timeline->hits()->count, std::size_t{12 * (4 * 4 + 1)});
        QVERIFY(timeline->selected());
    }

    void aRowOfTheCollectivesLeadsToThemAndBack()
    {
        raise(view(u"collectives"_s));
        auto* const table = view(u"collectives"_s)->findChild<ReportTable*>();
        auto* const timeline = view(u"timeline"_s)->findChild<TimelineWidget*>();
        for (std::size_t click = 0; click < 2; ++click) {
            QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                              table->visualRect(table->model()->index(0, 0)).center());
            QCOMPARE(timeline->collective(), std::optional(click));
        }
        auto* const details = view(u"timeline"_s)->findChild<QTextBrowser*>();
        QVERIFY2(details->toPlainText().contains(u"arrived after the first"_s),
                 qPrintable(details->toPlainText()));
        table->clearSelection();
        raise(view(u"settings"_s));
        emit details->anchorClicked(QUrl(u"row:1"_s));
        QVERIFY(table->isVisible());
        QCOMPARE(table->selectionModel()->selectedRows().size(), 1);
    }

    void theInsideOfACollectiveFollowsTheTimeline()
    {
        raise(view(u"arrivals"_s));
        auto* const chart = view(u"arrivals"_s)->findChild<LaneChart*>();
        auto* const timeline = view(u"timeline"_s)->findChild<TimelineWidget*>();
        QTRY_COMPARE_WITH_TIMEOUT(chart->lanes().lanes.size(), 4U, kPatienceMs); // of the costliest
        const auto& all = m_window->session().timeline->collectives;
        timeline->showCollective(5);
        QCOMPARE(chart->lanes().lastArrivalNs, all[5].lastArrivalNs);
        QVERIFY2(chart->textOf(0).startsWith(u"rank 2: arrived 5"_s), qPrintable(chart->textOf(0)));
        QVERIFY(!chart->textOf(0).contains(u"waits"_s) && chart->textOf(1).contains(u"waits"_s));
        QCOMPARE(chart->accessibleDescription(), chart->textOf(0));
        QCOMPARE(view(u"arrivals"_s)->findChild<ReportTable*>()->model()->rowCount(), 4);
        QTest::keyClick(chart, Qt::Key_Down);
        QCOMPARE(chart->accessibleDescription(), chart->textOf(1));
        timeline->showTime(m_window->session().timeline->extent);
        QTest::keyClick(chart, Qt::Key_Return);
        QVERIFY(timeline->visible().start <= all[5].firstArrivalNs &&
                timeline->visible().end >= all[5].endNs);
        QVERIFY(timeline->visible().length() < m_window->session().timeline->extent.length() / 2);
        QVERIFY2(chart->lanes().lanes.size() == 4, "the view keeps what it shows");
    }

    void severalProgramsAreComparedAndTheFirstIsShown()
    {
        const std::filesystem::path folder = m_folder.filePath(u"roles.ringside"_s).toStdString();
        for (const char* const role : {"generator", "trainer"}) {
            ringside::test::TraceBuilder builder = sampledRun();
            for (int rank = 0; rank < builder.ranks(); ++rank) {
                trace::ProcessTrace& process = builder.process(rank);
                process.settings.push_back({"environment", "RINGSIDE_ROLE", role});
                process.process.pid += *role; // files and processes of their own
                for (trace::CommunicatorRow& communicator : process.communicators) {
                    communicator.hash += static_cast<std::uint64_t>(*role);
                }
            }
            builder.write(folder);
        }
        m_window->open({folder});
        MainWindow* const window = anotherWindow();
        QTRY_VERIFY_WITH_TIMEOUT(window->session().timeline, kPatienceMs);
        QCOMPARE(window->session().programs, (std::vector<std::string>{"generator", "trainer"}));
        QCOMPARE(window->session().report->model.ranks.size(), 4U);
        QVERIFY(window->findChild<QWidget*>(u"notices"_s)->isVisible());
        auto* const dock = window->findChild<QDockWidget*>(u"roles"_s);
        raise(dock);
        QTRY_VERIFY_WITH_TIMEOUT(dock->findChildren<ReportTable*>().size() >= 2, kPatienceMs);
        QVERIFY(dock->findChild<QLabel*>(u"sentence"_s)->text().contains(u"2 roles"_s));
        delete window;
        raise(view(u"roles"_s));
        QVERIFY(view(u"roles"_s)->findChildren<ReportTable*>().isEmpty()); // of one program
    }

    void samplesAndPortsAreShownOverTime()
    {
        for (const QString& id : {u"samples"_s, u"links"_s}) {
            raise(view(id));
            auto* const choice = view(id)->findChild<QComboBox*>();
            QVERIFY(choice->count() >= 1);
            const QList<LinePlot*> plots = view(id)->findChildren<LinePlot*>();
            QCOMPARE(plots.size(), 2);
            QVERIFY(plots[0]->isVisible() && plots[1]->isVisible());
            const QSignalSpy moved(plots[1], &LinePlot::timesChanged);
            QTest::keyClick(plots[0], Qt::Key_W); // both show the same time
            QCOMPARE(moved.count(), 1);
        }
    }

    void aPartOfTheRunIsWrittenForOtherPrograms()
    {
        const QString path = m_folder.filePath(u"part.json"_s);
        QFile old(path);
        QVERIFY(old.open(QIODevice::WriteOnly) && old.write("old") == 3);
        old.close();
        const Session& session = m_window->session();
        const model::Rank& rank = session.report->model.ranks[1];
        const model::Interval step{rank.clock.toRun(rank.steps[3].host.start),
                                   rank.clock.toRun(rank.steps[3].host.end)};
        SliceExport job(session, {step, {1}}, path);
        const QSignalSpy written(&job, &SliceExport::finished);
        job.start();
        QTRY_COMPARE_WITH_TIMEOUT(written.count(), 1, kPatienceMs);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonArray events = QJsonDocument::fromJson(file.readAll())[u"traceEvents"_s].toArray();
        QVERIFY(!events.isEmpty());
        int steps = 0;
        for (const auto& event : events) {
            QCOMPARE(event[u"pid"_s].toInt(), 1);
            steps += event[u"cat"_s].toString() == u"step"_s && event[u"tid"_s].toInt() == 5'000'000 ? 1 : 0;
        }
        QVERIFY2(steps >= 1 && steps <= 3, "the step, and those that touch it");
        QCOMPARE(QDir(m_folder.path()).entryList({u"part.json*"_s}), QStringList{u"part.json"_s});
    }

    void aPartThatCannotBeWrittenSaysWhereAndWhatToDo()
    {
        SliceExport job(m_window->session(), {}, u"/no/such/folder/part.perfetto-trace"_s);
        QString text;
        connect(&job, &SliceExport::failed, this,
                [&text](const Failure& failure) { text = failure.what + u"|"_s + failure.hint; });
        job.start();
        QTRY_VERIFY_WITH_TIMEOUT(!text.isEmpty(), kPatienceMs);
        QVERIFY2(text.contains(u"/no/such/folder/part"_s) && !text.endsWith(u'|'), qPrintable(text));
    }

    void paintedViewsOfferTheirPictureAndWhatStandsThere()
    {
        QLabel widget(u"painted"_s);
        QMenu menu;
        fillPictureMenu(menu, widget, u"rank 2, step 7"_s);
        QCOMPARE(menu.actions().size(), 3);
        menu.actions()[0]->trigger();
        QCOMPARE(QApplication::clipboard()->text(), u"rank 2, step 7"_s);
        menu.actions()[1]->trigger();
        QVERIFY(!QApplication::clipboard()->image().isNull());
        QMenu without;
        fillPictureMenu(without, widget, {});
        QCOMPARE(without.actions().size(), 2);
    }

    void theMapOfLinksLeadsToRowsAndTimes()
    {
        m_window->open({test::writeHostsRun(m_folder.path().toStdString(), 5)});
        MainWindow* const window = anotherWindow();
        QTRY_VERIFY_WITH_TIMEOUT(window->session().timeline, kPatienceMs);
        auto* const dock = window->findChild<QDockWidget*>(u"links"_s);
        raise(dock);
        auto* const map = dock->findChild<LinkMap*>();
        auto* const details = window->findChild<QDockWidget*>(u"timeline"_s)->findChild<QTextBrowser*>();
        const QList<ReportTable*> tables = dock->findChildren<ReportTable*>();
        const auto table = [&](const QString& name) {
            return *std::ranges::find(tables, name, &QWidget::accessibleName);
        };
        ReportTable* const ports = table(u"Ports and interfaces"_s);
        QTest::mouseClick(map, Qt::LeftButton, {}, map->positionOf({std::nullopt, 0, 1}));
        QVERIFY(ports->isVisible());
        QCOMPARE(ports->currentIndex().siblingAtColumn(1).data().toString(), u"mlx5_1:1"_s);
        QVERIFY2(map->accessibleDescription().contains(u"not measured"_s),
                 qPrintable(map->accessibleDescription()));

        ReportTable* const connections = table(u"What hosts sent each other"_s);
        const std::size_t slow = map->places().lines.size() - 1;
        QTest::mouseClick(map, Qt::LeftButton, {}, map->positionOf({slow, 0, std::nullopt}));
        QVERIFY(connections->isVisible());
        QCOMPARE(connections->currentIndex().siblingAtColumn(0).data().toString(), u"node004"_s);
        QVERIFY2(details->toPlainText().contains(u"node004 -> node000"_s),
                 qPrintable(details->toPlainText()));
        QVERIFY(map->textOf({slow, 0, std::nullopt}).contains(u"problem"_s));

        QTest::keyClick(map, Qt::Key_Left); // the line before it
        QVERIFY(map->accessibleDescription().contains(u"ok"_s));
        delete window;
    }

private:
    /// The window that a second run was opened in.
    [[nodiscard]] MainWindow* anotherWindow() const
    {
        for (QWidget* const each : QApplication::topLevelWidgets()) {
            auto* const window = qobject_cast<MainWindow*>(each);
            if (window != nullptr && window != m_window.get()) {
                return window;
            }
        }
        return nullptr;
    }
    QDockWidget* view(const QString& id) { return m_window->findChild<QDockWidget*>(id); }
    static void raise(QDockWidget* dock)
    {
        dock->raise();
        QCoreApplication::processEvents();
    }
    static int column(const ReportTable& table, const QString& name)
    {
        for (int i = 0; i < table.model()->columnCount(); ++i) {
            if (table.model()->headerData(i, Qt::Horizontal).toString() == name) {
                return i;
            }
        }
        return -1;
    }
    /// The texts of a column after sorting by it.
    static QStringList sortedColumn(ReportTable& view, int column)
    {
        view.sortByColumn(column, Qt::AscendingOrder);
        QStringList texts;
        for (int row = 0; row < view.model()->rowCount(); ++row) {
            texts.append(view.model()->index(row, column).data().toString());
        }
        return texts;
    }
    QTemporaryDir m_folder;
    std::filesystem::path m_run;
    std::unique_ptr<MainWindow> m_window;
};

} // namespace ringside::gui

int main(int argc, char** argv)
{
    return ringside::gui::test::runTests<ringside::gui::TestViews>(argc, argv);
}
#include "tst_views.moc"
