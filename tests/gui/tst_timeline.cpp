// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline under real keys, wheel and mouse.
#include "timeline/label_cache.h"
#include "timeline/timeline_widget.h"
#include "timeline_fixture.h"

#include <QSignalSpy>
#include <QTest>

#include <set>

namespace ringside::gui {

class TestTimeline final : public test::TimelineFixture {
    Q_OBJECT

private slots:
    void showsTheWholeRunAtFirst() { QCOMPARE(m_all, m_session.timeline->extent); }

    void bracketsGoFromCollectiveToCollective()
    {
        m_widget->showTime({m_all.start, m_all.start + m_all.length() / 6});
        const auto& collectives = m_session.timeline->collectives;
        const Interval before = m_widget->visible();
        for (std::size_t i = 0; i < collectives.size(); ++i) {
            press(Qt::Key_BracketRight);
        }
        QVERIFY(contains(m_widget->visible(), collectives.back().lastArrivalNs));
        QVERIFY(m_widget->visible() != before);
        press(Qt::Key_BracketLeft);
        QVERIFY(contains(m_widget->visible(), collectives[collectives.size() - 2].lastArrivalNs));
        QCOMPARE(m_widget->collective(), std::optional(collectives.size() - 2));
        QVERIFY(m_widget->selected()); // what the last rank did
        QCOMPARE(m_session.timeline->tracks[m_widget->selected()->track].rank,
                 collectives[collectives.size() - 2].lastRank);
        press(Qt::Key_BraceLeft); // all are of one communicator
        QCOMPARE(m_widget->collective(), std::optional(collectives.size() - 3));
        m_widget->showNextOf({0, 1});
        QCOMPARE(m_widget->collective(), std::optional<std::size_t>(0)); // after the last one the first
        m_widget->showNextOf({});
    }

    void allRanksBecomeStripsAndAClickOpensOne()
    {
        press(Qt::Key_C);
        const std::size_t ranks = m_session.report->model.ranks.size();
        QCOMPARE(m_widget->layoutOfRows().rows.size(), ranks);
        const Row first = m_widget->layoutOfRows().rows.front();
        QCOMPARE(first.kind, Row::Kind::Strip);
        const QPoint onStrip(tracks().center().x(), tracks().top() + first.y + first.height / 2);
        QVERIFY(m_widget->tipAt(onStrip).contains(QStringLiteral("rank 0")));
        m_widget->grab();
        const QPoint label(40, tracks().top() + first.y + 2);
        QVERIFY(m_widget->tipAt(label).startsWith(QStringLiteral("rank 0")));
        QTest::mouseClick(m_widget->viewport(), Qt::LeftButton, {}, label);
        QVERIFY(m_widget->layoutOfRows().rows.size() > ranks);
        QTest::mouseClick(m_widget->viewport(), Qt::LeftButton, {}, label); // its threads, too
        QTest::mouseClick(m_widget->viewport(), Qt::LeftButton, {}, label);
        QCOMPARE(m_widget->layoutOfRows().rows.size(), ranks);
        m_widget->select(std::nullopt);
        press(Qt::Key_C);
        QVERIFY(m_widget->layoutOfRows().rows.front().kind == Row::Kind::Rank);
    }

    void ranksAreOrderedGroupedHiddenAndPinned()
    {
        const auto firstRank = [&] {
            const auto& rows = m_widget->layoutOfRows().rows;
            return std::ranges::find(rows, Row::Kind::Rank, &Row::kind)->rank;
        };
        m_widget->setRankOrder(timeline::RankOrder::CameLast);
        QCOMPARE(firstRank(), std::size_t{2});
        m_widget->setRankOrder(timeline::RankOrder::Host);
        QCOMPARE(m_widget->layoutOfRows().groups.size(), std::size_t{2});
        m_widget->setRankOrder(timeline::RankOrder::Number);
        const QPoint label(40, TimelinePainter::rulerHeight() + 8);
        trigger(label, QStringLiteral("Hide rank 0"));
        QCOMPARE(firstRank(), std::size_t{1});
        trigger(label, QStringLiteral("Show all ranks and tracks"));
        QCOMPARE(firstRank(), std::size_t{0});
        m_widget->setTrackFilter(QStringLiteral("no track is called so"));
        QCOMPARE(m_widget->layoutOfRows().rows.size(), m_session.report->model.ranks.size());
        m_widget->setTrackFilter({});
    }

    void theMenuOfASpanMarksAllOfItsName()
    {
        trigger(placeOf(timeline::SpanKind::Compute), QStringLiteral("Mark all of this name"));
        QTRY_VERIFY(m_widget->hits() != nullptr);
        QVERIFY(m_widget->hits()->count > 1);
        trigger(placeOf(timeline::SpanKind::Wait), QStringLiteral("Show its collective on all ranks"));
        QVERIFY(m_widget->collective());
    }

    void readingARunAgainKeepsThePlace()
    {
        const Interval part{m_all.start + m_all.length() / 4, m_all.start + m_all.length() / 2};
        m_widget->showTime(part);
        press(Qt::Key_H);
        const std::size_t rows = m_widget->layoutOfRows().rows.size();
        Session again = test::lateRankSession();
        Session first = again;
        first.timeline.reset();
        m_widget->setSession(first);
        m_widget->setSession(again);
        QCOMPARE(m_widget->visible(), part);
        QCOMPARE(m_widget->layoutOfRows().rows.size(), rows);
        again = test::sampledSession(); // another run
        m_widget->setSession(again);
        QCOMPARE(m_widget->visible(), again.timeline->extent);
    }

    void aClickSelectsASpanAndCommasItsNeighbours()
    {
        const QSignalSpy changed(m_widget.get(), &TimelineWidget::selectionChanged);
        const QPoint place = placeOf(timeline::SpanKind::Wait);
        QTest::mouseClick(m_widget->viewport(), Qt::LeftButton, {}, place);
        QVERIFY(m_widget->selected());
        QCOMPARE(m_session.timeline->span(*m_widget->selected()).kind, timeline::SpanKind::Wait);
        QVERIFY(!changed.isEmpty());
        const std::size_t index = m_widget->selected()->index;
        press(Qt::Key_Period);
        QCOMPARE(m_widget->selected()->index, index + 1);
        press(Qt::Key_Comma);
        QCOMPARE(m_widget->selected()->index, index);
        press(Qt::Key_Escape);
        QVERIFY(!m_widget->selected());
    }

    void aClickOnARanksNameOpensItsThreads()
    {
        const int before = m_widget->layoutOfRows().height;
        QTest::mouseClick(m_widget->viewport(), Qt::LeftButton, {}, {40, TimelinePainter::rulerHeight() + 8});
        QVERIFY(m_widget->layoutOfRows().height > before);
        const int one = m_widget->layoutOfRows().height;
        press(Qt::Key_H);
        QVERIFY(m_widget->layoutOfRows().height > one);
    }

    void aPlaceIsShownWithRoomAndItsRankMarked()
    {
        const rules::Evidence& evidence = m_session.report->findings.front().evidence.front();
        m_widget->showPlace({evidence.startNs, evidence.endNs}, {evidence.rank});
        QVERIFY(m_widget->visible().start <= evidence.startNs);
        QVERIFY(m_widget->visible().end >= evidence.endNs);
        QVERIFY(m_widget->visible().length() < 3 * (evidence.endNs - evidence.startNs));
    }

    void aPlaceAskedForBeforeTheTimelineIsThereIsShownLater()
    {
        TimelineWidget widget;
        widget.resize(800, 300);
        Session early = m_session;
        early.timeline = nullptr;
        widget.setSession(early);
        const rules::Evidence& evidence = m_session.report->findings.front().evidence.front();
        widget.showPlace({evidence.startNs, evidence.endNs}, {evidence.rank});
        widget.grab(); // paints that it is being built
        widget.setSession(m_session);
        QVERIFY(widget.visible().start <= evidence.startNs && widget.visible().end >= evidence.endNs);
        QVERIFY(widget.visible() != m_all);
    }

    void findSelectsAndOpensWhatItFound()
    {
        QSignalSpy changed(m_widget.get(), &TimelineWidget::hitsChanged);
        m_widget->find({"DATA", {}, {}}, timeline::Direction::Forward);
        QTRY_COMPARE(changed.count(), 1);
        const auto first = m_widget->selected();
        QVERIFY(first);
        QVERIFY(m_widget->layoutOfRows().rowOf(first->track, first->lane) != nullptr);
        QCOMPARE(m_widget->hits()->count, m_session.report->model.ranks.size() * 12); // steps
        QCOMPARE(m_widget->hitNumber(), std::size_t{1});
        m_widget->find({"DATA", {}, {}}, timeline::Direction::Forward);
        QVERIFY(!(m_widget->selected() == first));
        QCOMPARE(m_widget->hitNumber(), std::size_t{2});
        m_widget->find({"DATA", {}, {}}, timeline::Direction::Backward);
        m_widget->find({"DATA", {}, {}}, timeline::Direction::Backward); // before the first comes the last
        QCOMPARE(m_widget->hitNumber(), m_widget->hits()->count);
        m_widget->grab(); // paints hits that are and are not in sight
        m_widget->find({"no such kernel", {}, {}}, timeline::Direction::Forward);
        QTRY_VERIFY(m_widget->hits() != nullptr);
        QCOMPARE(m_widget->hits()->count, std::size_t{0});
        m_widget->find({"", {}, {}}, timeline::Direction::Forward);
        QVERIFY(m_widget->hits() == nullptr);
    }

    void marksAreSetShownAndTakenAway()
    {
        const std::int64_t first = m_all.start + m_all.length() / 4;
        const std::int64_t second = m_all.start + m_all.length() * 3 / 4;
        for (const std::int64_t time : {second, first}) {
            m_widget->showTime({time - 500'000, time + 500'000});
            press(Qt::Key_M);
        }
        QCOMPARE(m_widget->marks().times(), (std::vector{first, second}));
        press(Qt::Key_N);
        QVERIFY(contains(m_widget->visible(), second));
        press(Qt::Key_N); // there is no further one
        QVERIFY(contains(m_widget->visible(), second));
        QTest::keyClick(m_widget.get(), Qt::Key_N, Qt::ShiftModifier);
        QVERIFY(contains(m_widget->visible(), first));
        press(Qt::Key_M);
        QCOMPARE(m_widget->marks().times(), std::vector{second});
        m_widget->grab();
        m_widget->renameMark(second, QStringLiteral(" the hiccup "));
        TimelineWidget later; // of the same run
        later.setSession(m_session);
        QCOMPARE(later.marks().times(), std::vector{second});
        QCOMPARE(QString::fromStdString(later.marks().nameOf(second)), QStringLiteral("the hiccup"));
        Session other = m_session;
        other.paths = {"other.ringside"};
        later.setSession({});
        later.setSession(other);
        QVERIFY(later.marks().times().empty());
    }

    void aKernelLeadsToItsLaunchAndBack()
    {
        QTest::mouseClick(m_widget->viewport(), Qt::LeftButton, {}, placeOf(timeline::SpanKind::Compute));
        const auto kernel = m_widget->selected();
        QVERIFY(kernel);
        press(Qt::Key_G);
        QVERIFY(m_widget->selected() && !(m_widget->selected() == kernel));
        QCOMPARE(m_session.timeline->span(*m_widget->selected()).kind, timeline::SpanKind::Launch);
        QVERIFY(m_widget->layoutOfRows().rowOf(m_widget->selected()->track, m_widget->selected()->lane));
        m_widget->grab(); // with its arrow
        press(Qt::Key_G);
        QCOMPARE(m_widget->selected(), kernel);
    }

    void aHangThatLastsLongerThanTheRecordingIsShownWhereItBegins()
    {
        const std::int64_t begin = m_all.end - m_all.length() / 20;
        m_widget->showPlace({begin, m_all.end + 60'000'000'000}, {1});
        QVERIFY(m_widget->visible().start > m_all.end - m_all.length() / 5);
        const auto shown = m_widget->collective();
        QVERIFY(!shown || m_session.timeline->collectives[*shown].lastArrivalNs >= begin);
    }

    void timeThatWasNotRecordedIsHatchedAndNotCalledIdle()
    {
        const Session session = test::partlyRecordedSession();
        m_widget->setSession(session);
        const auto tones = [this](double from, double to) { // of the first stream's row
            std::set<QRgb> colours;
            const QImage picture = m_widget->grab().toImage();
            const QRect area = tracks();
            for (const Row& row : m_widget->layoutOfRows().rows) {
                if (row.kind == Row::Kind::Lane) {
                    for (int x = area.left() + static_cast<int>(area.width() * from);
                         x < area.left() + static_cast<int>(area.width() * to); ++x) {
                        for (int y = row.y + 3; y < row.y + row.height - 3; ++y) {
                            colours.insert(picture.pixel(x, area.top() + y));
                        }
                    }
                    break;
                }
            }
            return colours;
        };
        const Theme& theme = themeOf(m_widget->palette());
        QVERIFY(tones(0.0, 0.4).contains(theme.compute.rgb()));
        const std::set<QRgb> empty = tones(0.9, 0.98);
        QVERIFY(!empty.contains(theme.compute.rgb()));
        QVERIFY2(empty.contains(theme.line.rgb()), "hatched");
    }

    void rangesOfOpenedRanksAreProjectedOnTheGpu()
    {
        const Session session = test::rangesSession();
        m_widget->setSession(session);
        const auto projected = [&] {
            std::size_t rows = 0;
            for (const Row& row : m_widget->layoutOfRows().rows) {
                rows +=
                    row.track && session.timeline->tracks[*row.track].kind == timeline::TrackKind::Projected
                        ? 1
                        : 0;
            }
            return rows;
        };
        QCOMPARE(projected(), std::size_t{0});
        press(Qt::Key_H);
        QTRY_VERIFY(projected() >= session.report->model.ranks.size()); // computed in the background
        QVERIFY(m_widget->layoutOfRows().unprojected.empty());
        m_widget->resize(1000, 2000);
        m_widget->grab();
        for (const Row& row : m_widget->layoutOfRows().rows) {
            if (row.track && session.timeline->tracks[*row.track].kind == timeline::TrackKind::Projected) {
                const timeline::Span span = session.timeline->lanesOf(*row.track)[row.lane].span(0);
                const double x =
                    timeToX(span.time.start + span.time.length() / 2, m_widget->visible(), tracks().width());
                const QPoint at(tracks().left() + static_cast<int>(x),
                                tracks().top() + row.y + row.height / 2);
                QVERIFY2(m_widget->tipAt(at).contains(QStringLiteral("projected on the GPU")),
                         qPrintable(m_widget->tipAt(at)));
                return;
            }
        }
    }

    void samplesAreShownUnderTheirRankAndHostWithUnits()
    {
        m_widget->setSession(test::sampledSession());
        const int before = m_widget->layoutOfRows().height;
        press(Qt::Key_L);
        QVERIFY(m_widget->layoutOfRows().height > before);
        std::vector<Row::Kind> kinds;
        for (const Row& row : m_widget->layoutOfRows().rows) {
            if (row.kind != Row::Kind::Lane) {
                kinds.push_back(row.kind);
            }
        }
        using enum Row::Kind;
        QCOMPARE(kinds, (std::vector{Rank, Samples, Rank, Samples, Host, Samples}));
        m_widget->resize(1000, 2000);
        // A copy: another size or a picture lays the rows out anew.
        const Row sampled = *std::ranges::find(m_widget->layoutOfRows().rows, Samples, &Row::kind);
        const int y = tracks().top() + sampled.y + sampled.height / 2;
        const auto tip = [&](double share) {
            return m_widget->tipAt({tracks().left() + static_cast<int>(share * tracks().width()), y});
        };
        QVERIFY2(tip(0.1).contains(QStringLiteral("°C")), qPrintable(tip(0.1)));
        QVERIFY2(tip(0.5).contains(QStringLiteral("not measured")), qPrintable(tip(0.5)));
        const QImage picture = m_widget->grab().toImage();
        const auto painted = [&](double share) {
            const int x = tracks().left() + static_cast<int>(share * tracks().width());
            const QPoint at(x, tracks().top() + sampled.y + sampled.height - 2);
            return picture.pixelColor(at * picture.devicePixelRatio()) != themeOf(m_widget->palette()).base;
        };
        QVERIFY(painted(0.1));
        QVERIFY(!painted(0.5)); // a gap, not 0
    }

    void aNameIsCutToWhatFits()
    {
        LabelCache labels;
        const QFontMetrics metrics(m_widget->font());
        const std::string name = "a_kernel_with_a_name_that_goes_on";
        const int whole = metrics.horizontalAdvance(QString::fromStdString(name));
        for (int width = 0; width < whole + 10; ++width) {
            const LabelCache::Label* const label = labels.fitted(name, width, metrics);
            QVERIFY(label == nullptr ? width < 40 : label->width <= width);
            QCOMPARE(label != nullptr && label->text.text().size() == qsizetype(name.size()), width >= whole);
        }
    }
};

} // namespace ringside::gui

QTEST_MAIN(ringside::gui::TestTimeline)
#include "tst_timeline.moc"
