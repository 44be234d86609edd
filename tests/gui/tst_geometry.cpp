// SPDX-License-Identifier: GPL-3.0-or-later
// Time, pixels, rows and zoom, without a window.
#include "base/moment.h"
#include "base/theme.h"
#include "fixture.h"
#include "timeline/bar_image.h"
#include "timeline/coordinates.h"
#include "timeline/layout.h"
#include "timeline/zoom_history.h"
#include "values/parse_moment.h"
#include "widgets/link_map_layout.h"

#include <QPalette>
#include <QTest>

#include <cmath>
#include <numeric>

namespace ringside::gui {

class TestGeometry final : public QObject {
    Q_OBJECT

private slots:
    void pixelsAndTimesAreEachOthersInverse()
    {
        const Interval range{1'000'000, 9'000'000};
        for (const std::int64_t time : {1'000'000, 1'000'001, 5'432'100, 9'000'000}) {
            QCOMPARE(xToTime(timeToX(time, range, 800), range, 800), time);
        }
        QCOMPARE(timeToX(5, {5, 5}, 100), 0.0); // nothing to divide by
        QCOMPARE(nsPerPixel({0, 10}, 1000), std::int64_t{1});
    }

    void zoomKeepsTheMomentUnderTheCursor()
    {
        const Interval limits{0, 1'000'000'000};
        const Interval range{200'000'000, 600'000'000};
        const std::int64_t anchor = 300'000'000;
        const Interval in = zoomed(range, 0.5, anchor, limits);
        QCOMPARE(in.length(), range.length() / 2);
        QVERIFY(std::abs(timeToX(anchor, in, 1000) - timeToX(anchor, range, 1000)) < 0.01);
    }

    void zoomAndPanStayInsideTheRun()
    {
        const Interval limits{-500, 1'000'000};
        QCOMPARE(zoomed({0, 1000}, 1e12, 500, limits), limits);
        QCOMPARE(zoomed({0, 1000}, 1e-9, 500, limits).length(), kNarrowestNs);
        QCOMPARE(panned({0, 1000}, std::numeric_limits<std::int64_t>::max(), limits),
                 (Interval{999'000, 1'000'000}));
        QCOMPARE(panned({0, 1000}, std::numeric_limits<std::int64_t>::min(), limits), (Interval{-500, 500}));
    }

    void framedLeavesRoomAndIsNeverEmpty()
    {
        const Interval limits{0, 1'000'000};
        const Interval frame = framed({400'000, 500'000}, 0.25, limits);
        QVERIFY(frame.start < 400'000 && frame.end > 500'000 && frame.length() < 160'000);
        QVERIFY(framed({500'000, 500'000}, 0.25, limits).length() >= kNarrowestNs);
        QVERIFY(framed({5, 5}, 0.25, {0, 0}).length() == 0);
    }

    void ticksAreRoundAndApart_data()
    {
        QTest::addColumn<qint64>("length");
        for (const qint64 length : {20LL, 999LL, 123'456LL, 7'000'000LL, 60'000'000'000LL, 1LL << 58}) {
            QTest::addRow("%lld ns", static_cast<long long>(length)) << length;
        }
    }
    void ticksAreRoundAndApart()
    {
        QFETCH(qint64, length);
        const Interval range{-length / 3, length - length / 3};
        const std::vector<Tick> list = ticks(range, 1000, 100);
        QVERIFY(list.size() >= 1 && list.size() <= 11);
        for (std::size_t i = 1; i < list.size(); ++i) {
            QVERIFY(timeToX(list[i].timeNs, range, 1000) - timeToX(list[i - 1].timeNs, range, 1000) >= 99);
            QVERIFY2(list[i].text != list[i - 1].text, qPrintable(list[i].text));
        }
    }

    void hostsAreBoxesAndTheSlowLineIsOnTop_data()
    {
        QTest::addColumn<int>("hosts");
        QTest::addColumn<double>("width");
        for (const int hosts : {1, 2, 3, 4, 8, 9, 64, 100}) {
            for (const double width : {120.0, 620.0, 1600.0}) {
                QTest::addRow("%d hosts in %d pixels", hosts, static_cast<int>(width)) << hosts << width;
            }
        }
    }
    void hostsAreBoxesAndTheSlowLineIsOnTop()
    {
        QFETCH(int, hosts);
        QFETCH(double, width);
        const Session session = test::hostsSession(hosts);
        const report::HostMap map = report::hostMapOf(*session.report);
        const LinkMapLayout layout = layOut(map, width, 16);
        const auto most = LinkMapLayout::kMostBoxes;
        QCOMPARE(layout.boxes.size(), std::min(static_cast<std::size_t>(hosts), most));
        std::size_t held = 0;
        for (std::size_t i = 0; i < layout.boxes.size(); ++i) {
            const QRectF& box = layout.boxes[i].box;
            held += layout.boxes[i].hosts.size();
            QVERIFY(box.top() >= 0 && box.bottom() <= layout.height);
            QVERIFY(width < 200 || (box.left() >= 0 && box.right() <= width));
            for (std::size_t k = i + 1; k < layout.boxes.size(); ++k) {
                QVERIFY(!box.intersects(layout.boxes[k].box));
            }
        }
        QCOMPARE(held, static_cast<std::size_t>(hosts)); // those without a box of their own are in the last
        if (hosts >= 3) {
            QCOMPARE(layout.lines.back().health, map.connections.back().health);
            QVERIFY(map.connections.back().health >= report::Health::Warning);
        }
    }

    void whatWasNotMeasuredIsNeverOk()
    {
        using report::Health;
        QCOMPARE(joined({}), Health::NotMeasured);
        QCOMPARE(joined({Health::Ok, Health::NotMeasured}), Health::NotMeasured);
        QCOMPARE(joined({Health::Ok, Health::Ok}), Health::Ok);
        QCOMPARE(joined({Health::NotMeasured, Health::Warning, Health::Ok}), Health::Warning);
        const Session session = test::hostsSession(4);
        const LinkMapLayout layout = layOut(report::hostMapOf(*session.report), 600, 16);
        QCOMPARE(layout.boxes[0].chips.size(), std::size_t{2});
        QCOMPARE(layout.boxes[0].chips[0].health, Health::Ok);
        QCOMPARE(layout.boxes[0].chips[1].health, Health::NotMeasured);
        QCOMPARE(layout.boxes[0].health, Health::NotMeasured);
        QVERIFY(layout.boxes[1].chips.empty());
    }

    void linesThatEveryoneDrawsToEveryoneAreLimited()
    {
        report::HostMap map;
        for (std::size_t i = 0; i < 40; ++i) {
            map.hosts.push_back({i, std::to_string(i), {static_cast<std::int64_t>(i)}, {}});
            for (std::size_t k = 0; k < 40; ++k) {
                if (i != k) {
                    map.connections.push_back(
                        {{i, k, static_cast<std::int64_t>(i * k), {}, {}, {}, {}}, {}, {}});
                }
            }
        }
        map.connections[5].health = report::Health::Problem;
        const LinkMapLayout layout = layOut(map, 800, 16);
        QCOMPARE(layout.lines.size(), LinkMapLayout::kMostLines);
        QCOMPARE(layout.linesLeftOut, std::size_t{40 * 39 / 2} - LinkMapLayout::kMostLines);
        QCOMPARE(layout.lines.back().connections.front(), std::size_t{5});
        const auto widest = std::ranges::max(layout.lines, {}, &MapLine::bytes);
        QVERIFY(widest.width > layout.lines.back().width);
        QVERIFY(layout.lines.back().width >= 1);
    }

    void barsHaveEdgesAndGapsStayEmpty()
    {
        using timeline::SpanKind;
        const Theme& theme = themeOf(QPalette(Qt::white));
        BarImage image;
        image.begin({100, 10}, 2.0, theme); // 200 device pixels for 2000 ns
        timeline::Lane lane;
        lane.add({{0, 10}, SpanKind::Copy, 0});
        lane.add({{100, 180}, SpanKind::Compute, 0});
        lane.add({{1000, 1800}, SpanKind::Wait, 0});
        lane.finish();
        draw(image, lane, {0, 2000}, 2, 5);
        const QImage& picture = image.image();
        QCOMPARE(picture.size(), QSize(200, 20));
        QCOMPARE(picture.pixelColor(0, 4), theme.of(SpanKind::Copy));
        QCOMPARE(picture.pixelColor(5, 4), theme.base);
        QCOMPARE(picture.pixelColor(10, 4), theme.base); // an edge, so that neighbours are two
        QCOMPARE(picture.pixelColor(11, 4), theme.of(SpanKind::Compute));
        QCOMPARE(picture.pixelColor(17, 13), theme.of(SpanKind::Compute));
        QCOMPARE(picture.pixelColor(18, 4), theme.base);
        QCOMPARE(picture.pixelColor(11, 3), theme.base); // above the line
        QCOMPARE(picture.pixelColor(11, 14), theme.base);
        QSet<QRgb> waiting;
        for (int x = 101; x < 180; ++x) {
            waiting.insert(picture.pixel(x, 8));
        }
        QCOMPARE(waiting.size(), 2); // hatched
    }

    /// A stream that computes half of the time, copies a quarter and is used for nothing in the rest.
    void heightStandsForTheShareOfTheTime()
    {
        using timeline::SpanKind;
        timeline::Lane lane;
        for (int i = 0; i < 100'000; ++i) {
            lane.add({{i * 1000, i * 1000 + 500}, SpanKind::Compute, 0});
            lane.add({{i * 1000 + 600, i * 1000 + 850}, SpanKind::Copy, 0});
        }
        lane.finish();
        const Theme& theme = themeOf(QPalette(Qt::white));
        BarImage image;
        image.begin({100, 40}, 1.0, theme);
        draw(image, lane, {0, 100'000'000}, 0, 40);
        for (int x = 0; x < 100; ++x) {
            QCOMPARE(pixelsOf(image, x, theme.of(SpanKind::Compute)), 20);
            QCOMPARE(pixelsOf(image, x, theme.of(SpanKind::Copy)), 10);
            QCOMPARE(pixelsOf(image, x, theme.base), 10);
        }
        image.begin({100, 4}, 1.0, theme); // too low for a stack
        draw(image, lane, {0, 100'000'000}, 0, 4);
        const QColor mixed = image.image().pixelColor(50, 2);
        QVERIFY(mixed != theme.base && mixed != theme.of(SpanKind::Compute) &&
                mixed != theme.of(SpanKind::Copy));
    }

    void whatIsRareIsFaintButSeen()
    {
        using timeline::SpanKind;
        timeline::Lane lane;
        for (int i = 0; i < 1000; ++i) { // 0.14 % of the time
            lane.add({{i * 100'000, i * 100'000 + 140}, SpanKind::Copy, 0});
        }
        lane.finish();
        const Theme& theme = themeOf(QPalette(Qt::white));
        BarImage image;
        image.begin({100, 20}, 1.0, theme);
        draw(image, lane, {0, 100'000'000}, 0, 20);
        for (int x = 0; x < 100; ++x) {
            QCOMPARE(pixelsOf(image, x, theme.base), 19);
            QCOMPARE(pixelsOf(image, x, theme.of(SpanKind::Copy)), 0);
        }
    }

    void bearsBarsAndSamplesOutsideOfWhatIsVisible()
    {
        BarImage image;
        image.begin({10, 4}, 1.0, themeOf(QPalette(Qt::white)));
        constexpr std::int64_t kFar = std::int64_t{1} << 61;
        image.add({{{-kFar, kFar}, 2 * kFar, 0, 0, 1, timeline::SpanKind::Copy}}, {}, {5, 6}, 0, 4);
        image.add({{{-kFar, kFar}, 2 * kFar, 0, 0, 1, timeline::SpanKind::Copy}}, {}, {5, 6}, -20, 4);
        timeline::SampleLine line;
        line.steps = {{{-kFar, kFar}, 1e300}};
        line.most = 1e-300;
        image.add(line, {5, 6}, 0, 4, Qt::black);
        image.add(line, {kFar, kFar + 1}, 2, 400, Qt::black);
        QCOMPARE(image.image().pixelColor(5, 0), QColor(Qt::black));
    }

    void undoGoesBackAGestureAtATime()
    {
        ZoomHistory zoom;
        zoom.reset({0, 1000});
        QVERIFY(!zoom.undo());
        zoom.change({100, 900}, ZoomHistory::Step::New);
        zoom.change({200, 800}, ZoomHistory::Step::Same);
        zoom.change({300, 400}, ZoomHistory::Step::New);
        QVERIFY(zoom.undo());
        QCOMPARE(zoom.visible(), (Interval{200, 800}));
        QVERIFY(zoom.undo());
        QCOMPARE(zoom.visible(), (Interval{0, 1000}));
    }

    void timesOfALinkAreReadAndWritten()
    {
        QCOMPARE(values::parseMoment("1.25s"), std::optional<std::int64_t>(1'250'000'000));
        QCOMPARE(values::parseMoment("20 ms"), std::optional<std::int64_t>(20'000'000));
        QCOMPARE(values::parseMoment("3us"), std::optional<std::int64_t>(3000));
        QCOMPARE(values::parseMoment("-7ns"), std::optional<std::int64_t>(-7));
        QCOMPARE(values::parseMoment("2"), std::optional<std::int64_t>(2'000'000'000));
        QCOMPARE(values::parseMoment(""), std::optional<std::int64_t>()); // of an option that is not given
        for (const char* wrong : {"", "s", "soon", "1e300", "nan", "5 hours"}) {
            QCOMPARE(values::parseMoment(wrong), std::optional<std::int64_t>());
        }
        const QString link = linkTo({"/a/it's.ringside"}, {5, 25}, 3);
        QCOMPARE(link, QStringLiteral("ringside-gui '/a/it'\\''s.ringside' --at 5ns --for 20ns --rank 3"));
    }

    void everyRankHasRowsAndHostThreadsOnlyWhenAsked()
    {
        const Session session = test::lateRankSession();
        const model::Model& model = session.report->model;
        const Layout few = layOut(model, *session.timeline, {});
        const Layout opened =
            layOut(model, *session.timeline, {.hostTracks = false, .open = {1}, .ranks = {}});
        for (std::size_t rank = 0; rank < model.ranks.size(); ++rank) {
            QVERIFY(few.extentOf(rank));
        }
        QVERIFY(opened.height > few.height);
        QCOMPARE(opened.extentOf(0), few.extentOf(0));
        int bottom = 0;
        for (const Row& row : opened.rows) {
            QVERIFY(row.y >= bottom);
            bottom = row.y + row.height;
            QCOMPARE(opened.rowAt(row.y), &row);
            QCOMPARE(opened.rowAt(row.y + row.height - 1), &row);
        }
        QCOMPARE(opened.rowAt(-1), nullptr);
        QCOMPARE(opened.rowAt(opened.height + 1), nullptr);
        QCOMPARE(
            layOut(model, *session.timeline, {.hostTracks = false, .open = {}, .ranks = {2}}).extentOf(0),
            std::nullopt);
    }

    void aRankOfWhichOnlyTheHostIsKnownShowsItsThreads()
    {
        const Session session = test::hostOnlySession();
        QVERIFY(layOut(session.report->model, *session.timeline, {}).rows.size() > 1);
    }

    void textIsReadableOnEveryColour_data()
    {
        QTest::addColumn<QColor>("window");
        QTest::addRow("light") << QColor(Qt::white);
        QTest::addRow("dark") << QColor(Qt::black);
    }
    void textIsReadableOnEveryColour()
    {
        constexpr double kReadable = 4.5; // WCAG 2 AA
        QFETCH(QColor, window);
        const Theme& theme = themeOf(QPalette(window));
        QCOMPARE(theme.dark, window == QColor(Qt::black));
        for (const QColor& back : {theme.window, theme.base, theme.card}) {
            for (const QColor& ink : {theme.text, theme.dim, theme.problem, theme.warning, theme.info}) {
                QVERIFY2(contrast(ink, back) >= kReadable,
                         qPrintable(ink.name() + QStringLiteral(" on ") + back.name()));
            }
        }
        for (const QColor& span : theme.spans) {
            QVERIFY2(contrast(inkOn(span), span) >= kReadable, qPrintable(span.name()));
        }
    }

    void familiesDifferForColourBlindEyesToo_data()
    {
        QTest::addColumn<QColor>("window");
        QTest::addRow("light") << QColor(Qt::white);
        QTest::addRow("dark") << QColor(Qt::black);
    }
    void familiesDifferForColourBlindEyesToo()
    {
        constexpr double kApart = 12; // in CIE L*a*b*; about 2 can just be told apart side by side
        QFETCH(QColor, window);
        QPalette palette;
        palette.setColor(QPalette::Window, window);
        const Theme& theme = themeOf(palette);
        std::vector<QColor> colours(theme.families.begin(), theme.families.end());
        colours.push_back(theme.of(timeline::SpanKind::Wait));
        colours.push_back(theme.base);
        for (const Sight& sight : kSights) {
            for (std::size_t i = 0; i < colours.size(); ++i) {
                for (std::size_t k = i + 1; k < colours.size(); ++k) {
                    const double distance = distanceOf(seen(colours[i], sight), seen(colours[k], sight));
                    QVERIFY2(distance >= kApart, qPrintable(QStringLiteral("%1 and %2, %3: %4")
                                                                .arg(colours[i].name(), colours[k].name(),
                                                                     QString::fromLatin1(sight.name))
                                                                .arg(distance)));
                }
            }
        }
        for (const QColor& family : theme.families) {
            QVERIFY2(contrast(inkOn(family), family) >= 4.5, qPrintable(family.name()));
        }
    }

    void barsMayHaveTheColoursOfTheirFamilies()
    {
        const Theme& theme = themeOf(QPalette());
        timeline::Lane lane;
        lane.add({{0, 500}, timeline::SpanKind::Compute, 0});
        lane.add({{500, 700}, timeline::SpanKind::Compute, 1});
        lane.add(
            {{700, 720}, timeline::SpanKind::Compute, 0}); // two within a pixel: the longer one colours it
        lane.add({{720, 725}, timeline::SpanKind::Compute, 1});
        lane.finish();
        const Interval visible{0, 2'500};
        BarImage image;
        image.begin({100, 20}, 1, theme);
        const auto bars = lane.bars(visible, nsPerPixel(visible, 100));
        const auto colourOf = [&](const timeline::Bar& bar) {
            return std::optional<QRgb>(lane.span(bar.longest).row == 0 ? 0xff112233 : 0xff445566);
        };
        image.add(bars, timeline::coverageOf(lane, bars, visible, 100), visible, 0, 20, colourOf);
        QVERIFY(pixelsOf(image, 10, QColor(0x11, 0x22, 0x33)) == 20);
        QVERIFY(pixelsOf(image, 24, QColor(0x44, 0x55, 0x66)) == 20);
        QVERIFY(pixelsOf(image, 28, QColor(0x11, 0x22, 0x33)) > 0);
        QCOMPARE(pixelsOf(image, 28, QColor(0x44, 0x55, 0x66)), 0);
        for (int x = 0; x < 100; ++x) {
            QCOMPARE(pixelsOf(image, x, theme.compute), 0);
        }
    }

private:
    using Triple = std::array<double, 3>;
    /// Linear RGB as an eye sees it: Machado, Oliveira and Fernandes (2009), severity 1.
    struct Sight {
        const char* name;
        std::array<Triple, 3> matrix;
    };
    static constexpr std::array<Sight, 4> kSights{Sight{"usual", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
                                                  Sight{"protanopia",
                                                        {{{0.152286, 1.052583, -0.204868},
                                                          {0.114503, 0.786281, 0.099216},
                                                          {-0.003882, -0.048116, 1.051998}}}},
                                                  Sight{"deuteranopia",
                                                        {{{0.367322, 0.860646, -0.227968},
                                                          {0.280085, 0.672501, 0.047413},
                                                          {-0.011820, 0.042940, 0.968881}}}},
                                                  Sight{"tritanopia",
                                                        {{{1.255528, -0.076749, -0.178779},
                                                          {-0.078411, 0.930809, 0.147602},
                                                          {0.004733, 0.691367, 0.303900}}}}};
    /// Returns the place of a colour in CIE L*a*b*, white point D65.
    static Triple seen(const QColor& colour, const Sight& sight)
    {
        const auto linear = [](double value) {
            return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
        };
        const Triple given{linear(colour.redF()), linear(colour.greenF()), linear(colour.blueF())};
        Triple rgb{};
        for (std::size_t i = 0; i < 3; ++i) {
            rgb[i] = std::clamp(std::inner_product(given.begin(), given.end(), sight.matrix[i].begin(), 0.0),
                                0.0, 1.0);
        }
        const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
        const double x = f((0.4124 * rgb[0] + 0.3576 * rgb[1] + 0.1805 * rgb[2]) / 0.95047);
        const double y = f(0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]);
        const double z = f((0.0193 * rgb[0] + 0.1192 * rgb[1] + 0.9505 * rgb[2]) / 1.08883);
        return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
    }
    static double distanceOf(const Triple& a, const Triple& b)
    {
        return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    }
    static void draw(BarImage& image, const timeline::Lane& lane, const Interval& visible, int y, int height)
    {
        const int width = image.image().width();
        const auto bars = lane.bars(visible, nsPerPixel(visible, width));
        image.add(bars, timeline::coverageOf(lane, bars, visible, static_cast<std::size_t>(width)), visible,
                  y, height);
    }
    static int pixelsOf(const BarImage& image, int x, const QColor& colour)
    {
        int count = 0;
        for (int y = 0; y < image.image().height(); ++y) {
            count += image.image().pixelColor(x, y) == colour ? 1 : 0;
        }
        return count;
    }
};

} // namespace ringside::gui

QTEST_GUILESS_MAIN(ringside::gui::TestGeometry)
#include "tst_geometry.moc"
