// SPDX-License-Identifier: GPL-3.0-or-later
// A job that runs is followed: what it records appears, what the user chose stays, its end is said. The job
// is a folder with a recent snapshot, to which steps are added.
#include "app/follower.h"
#include "app/main_window.h"
#include "fixture.h"
#include "live/snapshot.h"
#include "timeline/timeline_widget.h"
#include "views/view.h"

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QFile>
#include <QLabel>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

namespace ringside::gui {

namespace fs = std::filesystem;
using State = Follower::State;

class TestFollow final : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_run = fs::path(m_folder->path().toStdString()) / "late.ringside";
        fs::create_directory(m_run);
        m_window = std::make_unique<MainWindow>();
        m_window->setAttribute(Qt::WA_DeleteOnClose, false);
        m_window->resize(1400, 900);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    }
    void cleanup() { m_window.reset(); }

    void aRunThatDoesNotRunIsNotFollowed()
    {
        record(12);
        sayItRuns(live::nowMs() - 3'600'000); // a `record` that was killed an hour ago
        open(12);
        QCOMPARE(state(), State::Off);
        QVERIFY(!text()->isVisible());
        QVERIFY(!pause()->isEnabled());
    }

    void newStepsAppearUntilTheJobEnds()
    {
        record(12);
        sayItRuns();
        open(12);
        QCOMPARE(state(), State::Following);
        QVERIFY2(text()->text().contains(QStringLiteral("12 steps")), qPrintable(text()->text()));
        record(15);
        QTRY_COMPARE_WITH_TIMEOUT(steps(), 15, 30'000);
        QCOMPARE(timeline()->visible(), m_window->session().timeline->extent); // everything, as before
        record(18);
        fs::remove(snapshot());
        QTRY_COMPARE_WITH_TIMEOUT(state(), State::Ended, 30'000);
        QCOMPARE(steps(), 18);
        QVERIFY2(text()->text().contains(QStringLiteral("has ended, 18 steps")), qPrintable(text()->text()));
        QVERIFY(!pause()->isEnabled());
    }

    void whatTheUserChoseStays()
    {
        record(12);
        sayItRuns();
        open(12);
        const Interval extent = m_window->session().timeline->extent;
        const Interval shown{extent.start + extent.length() / 8, extent.start + extent.length() / 4};
        const timeline::SpanId span{1, 0, 3}; // the first stream of a rank
        timeline()->showTime(shown);
        timeline()->select(span);
        timeline()->setRange(shown);
        timeline()->find({"AllReduce", std::nullopt, std::nullopt}, timeline::Direction::Forward);
        QTRY_VERIFY_WITH_TIMEOUT(timeline()->hits() != nullptr, 30'000);
        const std::size_t hits = timeline()->hits()->count;
        timeline()->select(span);
        timeline()->showTime(shown);
        const auto name = nameOfSelection();
        raise("heat_map");
        auto* const figure = dock("heat_map")->findChild<QComboBox*>();
        figure->setCurrentIndex((figure->currentIndex() + 1) % figure->count());
        const int chosen = figure->currentIndex();

        record(15);
        QTRY_COMPARE_WITH_TIMEOUT(steps(), 15, 30'000);
        QCOMPARE(timeline()->visible(), shown);
        QVERIFY(timeline()->range() == shown);
        QCOMPARE(nameOfSelection(), name);
        QCOMPARE(figure->currentIndex(), chosen);
        QTRY_VERIFY_WITH_TIMEOUT(timeline()->hits() != nullptr, 30'000);
        QVERIFY(timeline()->hits()->count > hits);
        timeline()->setFocus();
        QTest::keyClick(timeline(), Qt::Key_Backspace); // the zoom before it can still be undone
        QVERIFY(!(timeline()->visible() == shown));
    }

    void theNewestStepStaysVisible()
    {
        record(12);
        sayItRuns();
        open(12);
        const Interval extent = m_window->session().timeline->extent;
        timeline()->showTime({extent.end - extent.length() / 4, extent.end});
        const std::int64_t length = timeline()->visible().length();
        record(15);
        QTRY_COMPARE_WITH_TIMEOUT(steps(), 15, 30'000);
        QCOMPARE(timeline()->visible().end, m_window->session().timeline->extent.end);
        QCOMPARE(timeline()->visible().length(), length);
    }

    void aPauseHoldsThePicture()
    {
        record(12);
        sayItRuns();
        open(12);
        QTest::keyClick(m_window.get(), Qt::Key_F6);
        QCOMPARE(state(), State::Paused);
        const auto report = m_window->session().report;
        record(15);
        QTest::qWait(2500); // longer than the time between two readings
        QCOMPARE(m_window->session().report, report);
        pause()->trigger();
        QCOMPARE(state(), State::Following);
        QTRY_COMPARE_WITH_TIMEOUT(steps(), 15, 30'000);
    }

    void aJobThatHasJustBegunOpensByItself()
    {
        sayItRuns();
        m_window->open({m_run});
        QTRY_COMPARE_WITH_TIMEOUT(m_window->page(), MainWindow::Page::Failed, 30'000);
        QCOMPARE(state(), State::Following);
        record(12);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->page(), MainWindow::Page::Workbench, 30'000);
        QCOMPARE(steps(), 12);
    }

    void readingsTakeATenthOfACoreAtMost()
    {
        using namespace std::chrono_literals;
        QCOMPARE(periodOf(10ms), 1000ms);
        QCOMPARE(periodOf(2s), 20'000ms);
    }

private:
    /// Replaces the files of the run, each at once, by those of a longer one.
    void record(int steps)
    {
        const QTemporaryDir folder(m_folder->filePath(QStringLiteral("XXXXXX")));
        for (const auto& file :
             fs::directory_iterator(test::writeLateRankRun(folder.path().toStdString(), steps))) {
            fs::rename(file.path(), m_run / file.path().filename());
        }
    }
    [[nodiscard]] fs::path snapshot() const { return m_run / "node0.live.json"; }
    void sayItRuns(std::int64_t whenMs = live::nowMs())
    {
        QFile file(QString::fromStdString(snapshot().string()));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray(R"({"schema": "ringside-live/1", "host": "node0", "written_ms": )") +
                   QByteArray::fromStdString(std::to_string(whenMs + 8'000)) + "}"); // for 18 seconds
    }
    void open(int steps)
    {
        const QSignalSpy ready(m_window.get(), &MainWindow::timelineReady);
        m_window->open({m_run});
        QTRY_COMPARE_WITH_TIMEOUT(ready.count(), 1, 30'000);
        QCOMPARE(this->steps(), steps);
    }
    [[nodiscard]] int steps() const
    {
        return static_cast<int>(m_window->session().report->model.stepCoverage.found);
    }
    [[nodiscard]] State state() const { return m_window->follower().state(); }
    [[nodiscard]] TimelineWidget* timeline() const
    {
        return m_window->findChild<TimelineWidget*>(QStringLiteral("timeline"));
    }
    [[nodiscard]] QLabel* text() const { return m_window->findChild<QLabel*>(QStringLiteral("following")); }
    [[nodiscard]] QAction* pause() const
    {
        const auto actions = m_window->findChildren<QAction*>();
        return *std::ranges::find(actions, QKeySequence(Qt::Key_F6), &QAction::shortcut);
    }
    [[nodiscard]] QDockWidget* dock(const char* view) const
    {
        return m_window->findChild<QDockWidget*>(QString::fromLatin1(view));
    }
    void raise(const char* view)
    {
        dock(view)->raise();
        QCoreApplication::processEvents();
    }
    [[nodiscard]] std::string nameOfSelection() const
    {
        const Session& session = m_window->session();
        const auto span = timeline()->selected();
        return span ? timeline::describe(session.report->model, *session.timeline, *span).title : "nothing";
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_run;
    std::unique_ptr<MainWindow> m_window;
};

} // namespace ringside::gui

int main(int argc, char** argv)
{
    return ringside::gui::test::runTests<ringside::gui::TestFollow>(argc, argv);
}
#include "tst_follow.moc"
