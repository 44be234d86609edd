// SPDX-License-Identifier: GPL-3.0-or-later
// The whole window: opening, its pages, from a finding to its moment, keys, names for screen readers,
// pictures.
#include "app/command_palette.h"
#include "app/layout_menu.h"
#include "app/main_window.h"
#include "timeline/timeline_widget.h"
#include "views/view.h"
#include "widgets/heat_map.h"
#include "widgets/pages.h"
#include "widgets/report_table.h"
#include "window_fixture.h"

#include <QAction>
#include <QApplication>
#include <QDir>
#include <QDockWidget>
#include <QDropEvent>
#include <QFile>
#include <QLabel>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>
#include <QTreeView>
#include <QUrl>
#include <QWheelEvent>

namespace ringside::gui {

using namespace Qt::StringLiterals;

class TestWindow final : public test::WindowFixture {
    Q_OBJECT

private slots:
    void beginsWithAPageThatSaysWhatToDo() { QCOMPARE(m_window->page(), MainWindow::Page::Start); }

    void theFolderOfAJobShowsItsLastRunAndItsGoodput()
    {
        QTemporaryDir job;
        const std::filesystem::path run = test::writeLateRankRun(job.path().toStdString());
        const QSignalSpy ready(m_window.get(), &MainWindow::timelineReady);
        m_window->open({job.path().toStdString()});
        QTRY_COMPARE_WITH_TIMEOUT(ready.count(), 1, 30'000);
        QCOMPARE(m_window->session().paths, Paths{run});
        const auto* const sentence =
            m_window->findChild<QDockWidget*>(u"goodput"_s)->findChild<QLabel*>(u"sentence"_s);
        QTRY_VERIFY_WITH_TIMEOUT(sentence->text().contains(u"goodput"_s), 30'000);
        QVERIFY(sentence->isVisible());
        QCOMPARE(m_window->findChild<QDockWidget*>(u"goodput"_s)->findChildren<ReportTable*>().size(), 2);
    }

    void lossesHaveAPriceIfThatOfAGpuIsKnown()
    {
        QSettings().setValue(kPriceSetting, 2.0);
        openRun();
        QSettings().remove(kPriceSetting);
        const auto* const prices =
            m_window->session().document->find<document::Table>(document::SectionId::Prices);
        QVERIFY(prices != nullptr &&
                std::ranges::find(prices->header, "money\na day") != prices->header.end());
    }

    void aFigureLeadsToItsMomentAndBack()
    {
        openRun();
        const QList<ReportTable*> tables =
            m_window->findChild<QDockWidget*>(u"summary"_s)->findChildren<ReportTable*>();
        auto* const prices = *std::ranges::find_if(tables, [](const QWidget* each) {
            return each->accessibleName().startsWith(u"What the losses"_s);
        });
        prices->setFocus();
        prices->setCurrentIndex(prices->model()->index(0, 0));
        QTest::keyClick(prices, Qt::Key_Return);
        const auto* const table =
            m_window->session().document->find<document::Table>(document::SectionId::Prices);
        const document::Place& place = *table->places.front();
        const model::Interval shown = m_window->findChild<TimelineWidget*>(u"timeline"_s)->visible();
        QVERIFY(shown.start <= place.startNs && shown.end >= place.endNs);
        QVERIFY(shown.length() < m_window->session().timeline->extent.length() / 2);
        m_window->raiseView(u"timeline"_s);
        QTRY_VERIFY(!prices->hasFocus());
        const std::vector<QAction*> commands = commandsOf(*m_window);
        (*std::ranges::find(commands, u"Back to the figure"_s, [](const QAction* each) {
            return commandName(*each);
        }))->trigger();
        QTRY_VERIFY(prices->hasFocus());
    }

    void opensARunAndShowsItsFindings()
    {
        openRun();
        auto* const list = m_window->findChild<QTreeView*>(QStringLiteral("findings"));
        QVERIFY(list->model()->rowCount() > 0);
        QVERIFY(m_window->windowTitle().contains(QStringLiteral("late.ringside")));
        QVERIFY(!m_window->findChild<QWidget*>(QStringLiteral("notices"))->isVisible());
    }

    void oneClickOnTheFirstFindingShowsItsEvidence()
    {
        openRun();
        auto* const list = m_window->findChild<QTreeView*>(QStringLiteral("findings"));
        const QRect row = list->visualRect(list->model()->index(0, 1));
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, row.center());
        const rules::Finding& finding = m_window->session().report->findings.front();
        QCOMPARE(QString::fromStdString(finding.rule), QStringLiteral("late_rank"));
        const rules::Evidence& evidence = finding.evidence.front();
        const Interval& visible = m_window->findChild<TimelineWidget*>()->visible();
        QVERIFY(visible.start <= evidence.startNs && evidence.endNs <= visible.end);
        QVERIFY(visible.length() < m_window->session().timeline->extent.length());
        const QString details = detailsOfTimeline();
        QVERIFY2(details.contains(QString::fromStdString(words::render(finding.title, {}))),
                 qPrintable(details));
        m_window->findChild<TimelineWidget*>()->select(std::nullopt);
        QVERIFY(detailsOfTimeline().contains(QStringLiteral("Nothing is selected")));
    }

    void whatIsNoRunGetsAPageThatSaysSo()
    {
        openAndFail(m_folder.filePath(QStringLiteral("nothing-there")));
        const QString empty = m_folder.filePath(QStringLiteral("empty.ringside"));
        QDir().mkpath(empty);
        openAndFail(empty);
        QFile file(m_folder.filePath(QStringLiteral("text.txt")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("this is no trace\n");
        file.close();
        openAndFail(file.fileName());
    }

    void aBrokenFileOfARunIsSaidAboveTheRest()
    {
        const std::filesystem::path broken =
            std::filesystem::path(m_folder.path().toStdString()) / "b.ringside";
        std::filesystem::copy(m_run, broken);
        std::filesystem::path first;
        for (const auto& entry : std::filesystem::directory_iterator(broken)) {
            first = first.empty() || entry.path() < first ? entry.path() : first;
        }
        std::filesystem::resize_file(first, 5000);
        openRun(broken);
        QVERIFY(m_window->findChild<QWidget*>(QStringLiteral("notices"))->isVisible());
    }

    void cancelGoesBackAndNothingComesAfter()
    {
        const QSignalSpy ready(m_window.get(), &MainWindow::timelineReady);
        m_window->open({m_run});
        QCOMPARE(m_window->page(), MainWindow::Page::Opening);
        m_window->cancelOpening();
        QCOMPARE(m_window->page(), MainWindow::Page::Start);
        QTest::qWait(300);
        QCOMPARE(m_window->page(), MainWindow::Page::Start);
        QCOMPARE(ready.count(), 0);
    }

    void closingWhileOpeningIsNoHarm()
    {
        m_window->open({m_run});
        m_window->close();
        m_window.reset();
        QTest::qWait(50);
    }

    void aDroppedRunIsOpened()
    {
        const QSignalSpy ready(m_window.get(), &MainWindow::timelineReady);
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(QString::fromStdString(m_run.string()))});
        QDragEnterEvent enter({100, 100}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(m_window.get(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent event({100, 100}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(m_window.get(), &event);
        QTRY_COMPARE_WITH_TIMEOUT(ready.count(), 1, 30'000);
    }

    void noViewForcesASizeOnTheWindow()
    {
        openRun();
        for (const ViewEntry* entry : allViews()) {
            raise(QString::fromLatin1(entry->id));
            QVERIFY2(m_window->minimumSizeHint().height() <= 480, entry->id);
            QVERIFY2(m_window->minimumSizeHint().width() <= 800, entry->id);
        }
        m_window->resize(1280, 720);
        raise(QStringLiteral("timeline"));
        auto* const timeline = m_window->findChild<TimelineWidget*>();
        timeline->setRange(timeline->visible()); // the figures of a chosen time must not need more
        QCoreApplication::processEvents();
        QCOMPARE(m_window->size(), QSize(1280, 720));
        QVERIFY(m_window->findChild<QDockWidget*>(QStringLiteral("timeline"))->height() >= 0.55 * 720);
    }

    void oneViewGetsAllRoomAndGivesItBack()
    {
        openRun();
        const auto dock = [&](const char* id) {
            return m_window->findChild<QDockWidget*>(QString::fromLatin1(id));
        };
        dock("timeline")->findChild<TimelineWidget*>()->setFocus();
        QTest::keyClick(m_window.get(), Qt::Key_F11);
        QVERIFY(!dock("timeline")->isHidden() && dock("findings")->isHidden() && dock("summary")->isHidden());
        QVERIFY(m_window->raiseView(QStringLiteral("findings"))); // takes the room over
        QVERIFY(dock("timeline")->isHidden() && !dock("findings")->isHidden());
        auto* const list = m_window->findChild<QTreeView*>(QStringLiteral("findings"));
        const QRect row = list->visualRect(list->model()->index(0, 1));
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, row.center()); // shows its moment
        QVERIFY(!dock("timeline")->isHidden() && !dock("findings")->isHidden());
    }

    void aLayoutIsKeptUnderAName()
    {
        openRun();
        auto* const layouts = m_window->findChild<LayoutMenu*>();
        auto* const findings = m_window->findChild<QDockWidget*>(QStringLiteral("findings"));
        const QString name = QStringLiteral("no findings: ä/\\x");
        findings->hide();
        layouts->save(name);
        QCOMPARE(LayoutMenu::names(), QStringList(name));
        findings->show();
        layouts->restore(name);
        QVERIFY(findings->isHidden());
        layouts->forget(name);
        QVERIFY(LayoutMenu::names().isEmpty());
    }

    void aRunThatIsOpenedAgainShowsWhatItDidWhenItWasClosed()
    {
        openRun();
        auto* const timeline = m_window->findChild<TimelineWidget*>(u"timeline"_s);
        const Interval all = m_window->session().timeline->extent;
        const Interval part{all.start + all.length() / 4, all.start + all.length() / 2};
        timeline->showTime(part);
        m_window->findChild<QDockWidget*>(u"findings"_s)->hide();
        m_window->close();
        init();
        openRun();
        QVERIFY(m_window->findChild<QDockWidget*>(u"findings"_s)->isHidden());
        const auto shown = [&] { return m_window->findChild<TimelineWidget*>(u"timeline"_s)->visible(); };
        QCOMPARE(shown().start, part.start);
        QCOMPARE(shown().end, part.end);
        m_window->findChild<TimelineWidget*>(u"timeline"_s)->showTime(all);
        m_window->close(); // a run that is shown whole is shown whole again
        init();
        openRun();
        QCOMPARE(shown().length(), all.length());
        m_window->showMoment(part, {});
        m_window->close();
        init();
        m_window->showMoment({all.start, all.start + all.length() / 8}, {}); // who asks for a moment gets it
        openRun();
        QVERIFY(shown().start <= all.start && shown().end < part.start);
        QSettings().clear();
    }

    void aCellOfTheMapShowsItsStep()
    {
        openRun();
        raise(QStringLiteral("heat_map"));
        auto* const map = m_window->findChild<HeatMap*>();
        QTest::keyClick(map, Qt::Key_Down);
        const metrics::RankMetrics& rank = m_window->session().report->metrics.ranks[1];
        const model::ClockMap& clock = m_window->session().report->model.ranks[rank.rank].clock;
        const Interval& visible = m_window->findChild<TimelineWidget*>()->visible();
        QVERIFY(visible.start <= clock.toRun(rank.windows[0].start));
        QVERIFY(visible.end >= clock.toRun(rank.windows[0].end));
        QVERIFY(visible.length() < m_window->session().timeline->extent.length());
    }

    void whatIfAnswersWithTheAnalyzersWords()
    {
        openRun();
        raise(QStringLiteral("what_if"));
        auto* const dock = m_window->findChild<QDockWidget*>(QStringLiteral("what_if"));
        auto* const answer = dock->findChild<QPlainTextEdit*>();
        QTest::mouseClick(dock->findChild<QPushButton*>(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(dock->findChild<QPushButton*>()->isEnabled(), 30'000);
        QVERIFY2(answer->toPlainText().contains(QStringLiteral("ms")), qPrintable(answer->toPlainText()));
    }

    void theWheelScrollsTheFormOfWhatIfAndChangesNoField()
    {
        openRun();
        raise(QStringLiteral("what_if"));
        auto* const dock = m_window->findChild<QDockWidget*>(QStringLiteral("what_if"));
        const auto turn = [](QWidget* field) {
            const QPointF at = field->rect().center();
            QWheelEvent event(at, field->mapToGlobal(at), {}, {0, 120}, Qt::NoButton, Qt::NoModifier,
                              Qt::NoScrollPhase, false);
            QApplication::sendEvent(field, &event);
        };
        for (auto* const field : dock->findChildren<QSpinBox*>()) {
            field->clearFocus();
            const int before = field->value();
            turn(field);
            QCOMPARE(field->value(), before);
            field->setFocus();
            turn(field);
            QVERIFY2(field->value() != before, "with the focus it does");
        }
    }

private:
    [[nodiscard]] QString detailsOfTimeline() const
    {
        return m_window->findChild<QDockWidget*>(QStringLiteral("timeline"))
            ->findChild<QTextBrowser*>()
            ->toPlainText();
    }
    void openAndFail(const QString& path)
    {
        m_window->open({path.toStdString()});
        QTRY_COMPARE_WITH_TIMEOUT(m_window->page(), MainWindow::Page::Failed, 30'000);
    }
};

} // namespace ringside::gui

int main(int argc, char** argv)
{
    return ringside::gui::test::runTests<ringside::gui::TestWindow>(argc, argv);
}
#include "tst_window.moc"
