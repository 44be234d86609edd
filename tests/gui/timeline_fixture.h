// SPDX-License-Identifier: GPL-3.0-or-later
// A timeline of the late rank's run before each test, and the hands that tests use it with.
#pragma once
#include "fixture.h"
#include "timeline/timeline_widget.h"

#include <QMenu>
#include <QMouseEvent>
#include <QTest>
#include <QWheelEvent>

namespace ringside::gui::test {

class TimelineFixture : public QObject {
    Q_OBJECT

protected slots:
    void initTestCase()
    {
        useOwnSettings();
        m_session = lateRankSession();
    }

    void init()
    {
        m_widget = std::make_unique<TimelineWidget>();
        m_widget->resize(1000, 500);
        m_widget->setSession(m_session);
        m_widget->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_widget.get()));
        m_widget->setFocus();
        m_all = m_widget->visible();
    }

protected:
    void press(Qt::Key key) { QTest::keyClick(m_widget.get(), key); }
    void trigger(const QPoint& position, const QString& text)
    {
        QMenu menu;
        m_widget->fillMenu(menu, position);
        for (QAction* const action : menu.actions()) {
            if (action->text().remove(QLatin1Char('&')) == text) {
                action->trigger();
                return;
            }
        }
        QFAIL(qPrintable(text));
    }
    void drag(Qt::KeyboardModifier with, const QPoint& from, const QPoint& to)
    {
        QWidget* const port = m_widget->viewport();
        QTest::mousePress(port, Qt::LeftButton, with, from);
        for (const QPoint& at : {(from + to) / 2, to}) {
            QMouseEvent move(QEvent::MouseMove, at, port->mapToGlobal(at), Qt::NoButton, Qt::LeftButton,
                             with);
            QCoreApplication::sendEvent(port, &move);
        }
        QTest::mouseRelease(port, Qt::LeftButton, with, to);
    }
    void wheel(const QPointF& at, int delta, Qt::KeyboardModifiers with = Qt::NoModifier)
    {
        QWheelEvent event(at, m_widget->viewport()->mapToGlobal(at), {}, {0, delta}, Qt::NoButton, with,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(m_widget->viewport(), &event);
    }
    [[nodiscard]] QRect tracks() const { return TimelinePainter::tracksIn(m_widget->viewport()->size()); }
    [[nodiscard]] std::int64_t timeAt(double x) const
    {
        return xToTime(x - tracks().left(), m_widget->visible(), tracks().width());
    }
    static bool contains(const Interval& range, std::int64_t time)
    {
        return range.start <= time && time < range.end;
    }
    /// The middle of the first span of a kind.
    [[nodiscard]] QPoint placeOf(timeline::SpanKind kind) const
    {
        for (const Row& row : m_widget->layoutOfRows().rows) {
            if (!row.track) {
                continue;
            }
            const timeline::Lane& lane = m_session.timeline->tracks[*row.track].lanes[row.lane];
            for (std::size_t i = 0; i < lane.size(); ++i) {
                const timeline::Span span = lane.span(i);
                if (span.kind == kind) {
                    const double x = timeToX(span.time.start + span.time.length() / 2, m_widget->visible(),
                                             tracks().width());
                    return {tracks().left() + static_cast<int>(x), tracks().top() + row.y + row.height / 2};
                }
            }
        }
        return {};
    }

    Session m_session;
    std::unique_ptr<TimelineWidget> m_widget;
    Interval m_all;
};

} // namespace ringside::gui::test
