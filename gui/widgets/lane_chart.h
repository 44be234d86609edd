// SPDX-License-Identifier: GPL-3.0-or-later
// The lanes of one collective: each rank's arrival, waiting and transfer side by side, on the time since the
// first arrival. Only what is visible is painted, so that thousands of ranks scroll.
#pragma once
#include "session.h"
#include "timeline/collective_lanes.h"

#include <QAbstractScrollArea>

namespace ringside::gui {

class LaneChart final : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit LaneChart(QWidget* parent = nullptr);
    /// Shows a collective, an index into Timeline::collectives.
    void setCollective(const Session& session, std::size_t collective);
    [[nodiscard]] const timeline::CollectiveLanes& lanes() const { return m_lanes; }
    /// What is known of a lane: "rank 3: arrived 1.20 ms after the first, ...".
    [[nodiscard]] QString textOf(std::size_t lane) const;
    [[nodiscard]] QSize sizeHint() const override;

signals:
    /// A rank was clicked, or chosen by Enter.
    void rankChosen(std::size_t rank);

protected:
    bool viewportEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    [[nodiscard]] int lineHeight() const;
    [[nodiscard]] int headHeight() const; ///< legend and ruler
    [[nodiscard]] std::optional<std::size_t> laneAt(int y) const;
    [[nodiscard]] QString nameOf(const timeline::CollectiveLane& lane) const;
    [[nodiscard]] double x(std::int64_t timeNs) const;
    void setScrollBar();
    void moveTo(std::size_t lane);
    void paintLegend(QPainter& painter) const;
    void paintRuler(QPainter& painter) const;
    void paintLane(QPainter& painter, std::size_t lane, int y) const;

    Session m_session;
    timeline::CollectiveLanes m_lanes;
    int m_left = 0;            ///< pixels of the names
    std::size_t m_current = 0; ///< the lane that the keys are at
};

} // namespace ringside::gui
