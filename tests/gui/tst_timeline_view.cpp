// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline with what stands around it: overview, figures of a chosen time, marks, copy and picture.
#include "base/navigator.h"
#include "base/theme.h"
#include "fixture.h"
#include "timeline/overview.h"
#include "timeline/timeline_widget.h"
#include "values/text.h"
#include "views/view.h"
#include "widgets/hit_panel.h"
#include "widgets/range_panel.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>
#include <QTimer>
#include <QToolButton>

namespace ringside::gui {

class TestTimelineView final : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { m_session = test::lateRankSession(); }

    void init()
    {
        const auto views = allViews();
        const auto entry = std::ranges::find(views, std::string_view("timeline"), &ViewEntry::id);
        m_view.reset((*entry)->create(m_navigator, nullptr));
        m_view->resize(1400, 700);
        m_view->setSession(m_session);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
        m_timeline = m_view->findChild<TimelineWidget*>();
        m_timeline->setFocus();
    }
    void cleanup() { m_view.reset(); }

    void aClickInTheOverviewMovesTheTimeline()
    {
        auto* const overview = m_view->findChild<Overview*>();
        const Interval all = m_timeline->visible();
        m_timeline->showTime({all.start, all.start + all.length() / 10});
        const int right = overview->width() - 10;
        QTest::mouseClick(overview, Qt::LeftButton, {}, {right, overview->height() / 2});
        QVERIFY(m_timeline->visible().end > all.end - all.length() / 10);
        QVERIFY(std::abs(m_timeline->visible().length() - all.length() / 10) <= 1);
        const QImage picture = overview->grab().toImage();
        const QColor compute = themeOf(overview->palette()).compute;
        bool found = false;
        for (int x = 0; x < picture.width() && !found; ++x) {
            for (int y = 0; y < picture.height() && !found; ++y) {
                found = picture.pixelColor(x, y) == compute;
            }
        }
        QVERIFY(found);
    }

    void escapeLeavesTheSearch()
    {
        auto* const search = m_view->findChild<QLineEdit*>();
        QCOMPARE(search->accessibleName(), QStringLiteral("Find in the timeline"));
        search->setFocus();
        QTest::keyClicks(search, QStringLiteral("gemm"));
        QTest::keyClick(search, Qt::Key_Return);
        QTRY_VERIFY(m_timeline->hits() != nullptr);
        QTest::keyClick(search, Qt::Key_Escape);
        QCOMPARE(search->text(), QString());
        QVERIFY(m_timeline->hits() == nullptr);
        QVERIFY(m_timeline->hasFocus());
    }

    void aChosenTimeIsAddedUpShownAndCopied()
    {
        auto* const panel = m_view->findChild<RangePanel*>();
        QVERIFY(panel->isHidden());
        QSignalSpy ready(panel, &RangePanel::ready);
        QTest::keyClick(m_timeline, Qt::Key_R);
        QTRY_COMPARE_WITH_TIMEOUT(ready.count(), 1, 30'000);
        QVERIFY(!panel->isHidden());
        auto* const table = panel->findChild<QTableView*>();
        const QAbstractItemModelTester tester(table->model());
        QCOMPARE(table->model()->rowCount(), 4);
        QTest::keyClick(m_timeline, Qt::Key_C, Qt::ControlModifier);
        const QStringList lines = QApplication::clipboard()->text().split(u'\n', Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 6); // what, header, ranks
        QVERIFY(lines[1].startsWith(QStringLiteral("rank\tcompute\t")));
        QVERIFY2(lines[2].contains(QStringLiteral(" ms (")), qPrintable(lines[2]));
        QTest::keyClick(m_timeline, Qt::Key_Escape);
        QVERIFY(panel->isHidden());
    }

    void theLatestOfManyChosenTimesIsShown()
    {
        auto* const panel = m_view->findChild<RangePanel*>();
        const Interval all = m_timeline->visible();
        for (int i = 2; i < 12; ++i) {
            m_timeline->setRange(Interval{all.start, all.start + all.length() / i});
        }
        const QString expected = QString::fromStdString(values::durationText(all.length() / 11));
        QTRY_VERIFY_WITH_TIMEOUT(panel->text().startsWith(expected), 30'000);
    }

    void closingWhileFiguresAreAddedUpIsNoHarm()
    {
        QTest::keyClick(m_timeline, Qt::Key_R);
        m_view.reset();
        QTest::qWait(20);
    }

    void matchesAreListedByTimeAndARowZoomsToIt()
    {
        auto* const panel = m_view->findChild<HitPanel*>();
        QVERIFY(panel->isHidden());
        find("data");
        const QList<QToolButton*> buttons = m_view->findChildren<QToolButton*>();
        QToolButton* const button = *std::ranges::find(buttons, QStringLiteral("List"), &QToolButton::text);
        button->click();
        auto* const table = panel->findChild<QTableView*>();
        QVERIFY(panel->isVisible());
        QCOMPARE(table->model()->rowCount(), 48);
        QCOMPARE(table->currentIndex().row(), 0); // the hit that is shown
        const auto text = [table](int row, int column) {
            return table->model()->index(row, column).data().toString();
        };
        QCOMPARE(text(7, 0), QStringLiteral("data"));
        QVERIFY2(text(7, 3).endsWith(QStringLiteral(" s")), qPrintable(text(7, 3)));
        table->setFocus();
        table->setCurrentIndex(table->model()->index(7, 0));
        QTest::keyClick(table, Qt::Key_Return);
        QCOMPARE(m_timeline->hitNumber(), std::size_t{8});
        const Interval hit = m_session.timeline->span(*m_timeline->selected()).time;
        QVERIFY(m_timeline->visible().length() < 6 * hit.length());
        QTest::keyClick(m_timeline, Qt::Key_Escape);
        m_timeline->find({}, timeline::Direction::Forward);
        QCOMPARE(table->model()->rowCount(), 0);
        button->click(); // hidden for the tests that follow
        QVERIFY(panel->isHidden());
    }

    void whatIsSelectedIsCopiedAsText()
    {
        find("data");
        QTest::keyClick(m_timeline, Qt::Key_C, Qt::ControlModifier);
        QVERIFY(QApplication::clipboard()->text().startsWith(QStringLiteral("data")));
    }

    void marksAreListedAndLeadThere()
    {
        const Interval all = m_timeline->visible();
        const std::int64_t moment = all.start + all.length() / 5;
        m_timeline->showTime({moment - 1'000'000, moment + 1'000'000});
        QTest::keyClick(m_timeline, Qt::Key_M);
        auto* const details = m_view->findChild<QTextBrowser*>();
        QVERIFY(details->toPlainText().contains(QStringLiteral("Marks")));
        m_timeline->showTime({all.end - 2'000'000, all.end});
        details->setFocus();
        QTest::keyClick(details, Qt::Key_Tab); // to the first link
        QTest::keyClick(details, Qt::Key_Return);
        QVERIFY(m_timeline->visible().start <= moment && moment < m_timeline->visible().end);
    }

    void aPictureIsSavedWhereTheDialogSays()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("shown.png"));
        QTimer::singleShot(0, this, [&path] {
            auto* const dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            QVERIFY(dialog != nullptr);
            dialog->selectFile(path);
            QTest::keyClick(dialog, Qt::Key_Return);
        });
        QTest::keyClick(m_timeline, Qt::Key_S, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(QImage(path).size(), m_timeline->size() * m_timeline->devicePixelRatio());
    }

    /// Samples, a chosen time, a mark and a launch; written where RINGSIDE_PICTURES says, to be looked at.
    void picturesOfEverythingAtOnce_data()
    {
        QTest::addColumn<int>("appearance");
        QTest::addRow("light") << static_cast<int>(Appearance::Light);
        QTest::addRow("dark") << static_cast<int>(Appearance::Dark);
    }
    void picturesOfEverythingAtOnce()
    {
        QFETCH(int, appearance);
        applyAppearance(*qApp, static_cast<Appearance>(appearance));
        m_view->setSession(test::sampledSession());
        const Interval all = m_timeline->visible();
        QSignalSpy ready(m_view->findChild<RangePanel*>(), &RangePanel::ready);
        m_timeline->setRange(Interval{all.start + all.length() * 2 / 5, all.start + all.length() * 3 / 5});
        QTRY_COMPARE_WITH_TIMEOUT(ready.count(), 1, 30'000);
        for (const Qt::Key key : {Qt::Key_M, Qt::Key_H, Qt::Key_L}) {
            QTest::keyClick(m_timeline, key);
        }
        save(QStringLiteral("samples"));
        find("sgemm");
        QTest::keyClick(m_timeline, Qt::Key_F); // the chosen time
        QTest::keyClick(m_timeline, Qt::Key_F); // the kernel
        m_timeline->showTime(zoomed(m_timeline->visible(), 3, m_timeline->visible().start, all));
        save(QStringLiteral("launch"));
        applyAppearance(*qApp, Appearance::Light);
    }

private:
    void find(const std::string& text)
    {
        QSignalSpy changed(m_timeline, &TimelineWidget::hitsChanged);
        m_timeline->find({text, {}, {}}, timeline::Direction::Forward);
        QTRY_VERIFY(changed.count() > 0);
        QVERIFY(m_timeline->hitNumber() > 0);
    }
    void save(const QString& name)
    {
        const QImage picture = m_view->grab().toImage();
        QVERIFY(picture.width() >= m_view->width());
        const QString folder = qEnvironmentVariable("RINGSIDE_PICTURES");
        if (!folder.isEmpty()) {
            QVERIFY(picture.save(QStringLiteral("%1/timeline_%2_%3_%4.png")
                                     .arg(folder, name, QString::fromLatin1(QTest::currentDataTag()))
                                     .arg(picture.devicePixelRatio())));
        }
    }

    Navigator m_navigator;
    Session m_session;
    std::unique_ptr<View> m_view;
    TimelineWidget* m_timeline = nullptr;
};

} // namespace ringside::gui

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    ringside::gui::test::useOwnSettings();
    ringside::gui::TestTimelineView test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_timeline_view.moc"
