// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline by keys, wheel, mouse and menu.
#include "timeline/timeline_widget.h"
#include "timeline_fixture.h"

#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

namespace ringside::gui {

class TestTimelineInput final : public test::TimelineFixture {
    Q_OBJECT

private slots:
    void keysZoomMoveAndUndo()
    {
        press(Qt::Key_W);
        const Interval in = m_widget->visible();
        QVERIFY(in.length() < m_all.length());
        QTest::qWait(700); // another gesture
        press(Qt::Key_D);
        QVERIFY(m_widget->visible().start > in.start);
        QCOMPARE(m_widget->visible().length(), in.length());
        press(Qt::Key_Backspace);
        QCOMPARE(m_widget->visible(), in);
        press(Qt::Key_A);
        QVERIFY(m_widget->visible().start < in.start);
        press(Qt::Key_S);
        press(Qt::Key_F);
        QCOMPARE(m_widget->visible(), m_all);
    }

    void arrowsMoveToo()
    {
        m_widget->showTime(zoomed(m_all, 0.5, m_all.start + m_all.length() / 2, m_all));
        const Interval before = m_widget->visible();
        press(Qt::Key_Right);
        QVERIFY(m_widget->visible().start > before.start);
        press(Qt::Key_Left);
        QCOMPARE(m_widget->visible(), before);
    }

    void theWheelZoomsAtTheCursorWithCtrlAndScrollsWithout()
    {
        const QPointF at(700, 100);
        const std::int64_t under = timeAt(at.x());
        m_widget->resize(1000, 200);
        wheel(at, -120);
        QCOMPARE(m_widget->visible(), m_all);
        QVERIFY(m_widget->verticalScrollBar()->value() > 0);
        QTest::keyClick(m_widget.get(), Qt::Key_W, Qt::ShiftModifier); // the other way round, and back
        wheel(at, 120);
        QVERIFY(m_widget->visible().length() < m_all.length());
        QTest::keyClick(m_widget.get(), Qt::Key_W, Qt::ShiftModifier);
        m_widget->showTime(m_all);
        wheel(at, 120, Qt::ControlModifier);
        QVERIFY(m_widget->visible().length() < m_all.length());
        QVERIFY(std::abs(timeAt(at.x()) - under) <= nsPerPixel(m_widget->visible(), 800));
    }

    void draggingMovesThePictureAndIsOneUndo()
    {
        m_widget->showTime({m_all.start + m_all.length() / 4, m_all.start + m_all.length() / 2});
        const Interval before = m_widget->visible();
        QWidget* const port = m_widget->viewport();
        QTest::mousePress(port, Qt::LeftButton, {}, {600, 100});
        QTest::mouseMove(port, {560, 100});
        QTest::mouseMove(port, {500, 100});
        QTest::mouseRelease(port, Qt::LeftButton, {}, {500, 100});
        QVERIFY(m_widget->visible().start > before.start);
        QCOMPARE(m_widget->visible().length(), before.length());
        press(Qt::Key_Backspace);
        QCOMPARE(m_widget->visible(), before);
    }

    void shiftAndDragChooseATimeThatIsToldOnce()
    {
        const QSignalSpy changed(m_widget.get(), &TimelineWidget::selectionChanged);
        drag(Qt::ShiftModifier, {300, 100}, {600, 100});
        QCOMPARE(changed.count(), 1);
        QCOMPARE(m_widget->visible(), m_all);
        QVERIFY(m_widget->range());
        const std::int64_t pixel = nsPerPixel(m_all, tracks().width());
        QVERIFY(std::abs(m_widget->range()->start - timeAt(300)) <= pixel);
        QVERIFY(std::abs(m_widget->range()->end - timeAt(600)) <= pixel);
        press(Qt::Key_F);
        QCOMPARE(m_widget->visible(), *m_widget->range());
        press(Qt::Key_Backspace);
        QCOMPARE(m_widget->visible(), m_all);
        press(Qt::Key_Escape);
        QVERIFY(!m_widget->range());
    }

    void theKeyboardChoosesWhatIsVisible()
    {
        press(Qt::Key_W);
        press(Qt::Key_R);
        QCOMPARE(m_widget->range(), std::optional(m_widget->visible()));
    }

    void slashAsksForTheSearchLine()
    {
        const QSignalSpy wanted(m_widget.get(), &TimelineWidget::findRequested);
        press(Qt::Key_Slash);
        QCOMPARE(wanted.count(), 1);
    }

    void noKeyIsUsedTwiceAndEachSaysWhatItDoes()
    {
        QSet<QString> keys;
        for (const QAction* action : m_widget->keys()) {
            QVERIFY(!action->text().isEmpty() && !action->toolTip().isEmpty());
            for (const QKeySequence& key : action->shortcuts()) {
                QVERIFY2(!keys.contains(key.toString()), qPrintable(key.toString()));
                keys.insert(key.toString());
            }
        }
    }

    void aRightClickOffersToExportWhatIsShown()
    {
        std::vector<std::size_t> ranks;
        Interval time;
        connect(m_widget.get(), &TimelineWidget::exportRequested, this,
                [&](const Interval& chosen, const std::vector<std::size_t>& of) {
                    time = chosen;
                    ranks = of;
                });
        const QPoint ofFirst(tracks().left() + 5, tracks().top() + 5);
        trigger(ofFirst, QStringLiteral("Hide rank 0"));
        trigger(ofFirst, QStringLiteral("Export the visible time of all shown ranks…"));
        QCOMPARE(ranks, (std::vector<std::size_t>{1, 2, 3}));
        QCOMPARE(time, m_widget->visible());
        m_widget->setRange(Interval{1000, 2000});
        trigger(ofFirst, QStringLiteral("Export the chosen time of rank 1…"));
        QCOMPARE(ranks, std::vector<std::size_t>{1});
        QCOMPARE(time, (Interval{1000, 2000}));
    }

    void nothingRecordedIsSaidAndNoKeyFails()
    {
        Session empty = m_session;
        empty.timeline = std::make_shared<const timeline::Timeline>();
        TimelineWidget widget;
        widget.setSession(empty);
        for (QAction* const action : widget.keys()) {
            action->trigger();
        }
        widget.grab();
    }
};

} // namespace ringside::gui

QTEST_MAIN(ringside::gui::TestTimelineInput)
#include "tst_timeline_input.moc"
