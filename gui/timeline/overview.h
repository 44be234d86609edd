// SPDX-License-Identifier: GPL-3.0-or-later
// Strip of the whole run with a thin line for each rank and a frame around the visible part. A click, or a
// drag of the frame, moves the visible part; a drag beside the frame chooses another one.
#pragma once
#include "session.h"
#include "timeline/bar_image.h"
#include "timeline/coordinates.h"

#include <QWidget>

#include <optional>

namespace ringside::gui {

class Overview final : public QWidget {
    Q_OBJECT
public:
    explicit Overview(QWidget* parent = nullptr);
    void setSession(const Session& session);
    void setShown(const Interval& shown);
    [[nodiscard]] QSize sizeHint() const override;

signals:
    /// Requests a view of the same length with this time in the middle.
    void momentRequested(std::int64_t timeNs);
    /// Requests that this range becomes visible.
    void rangeRequested(const ringside::model::Interval& range);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    enum class Drag : std::uint8_t { None, Move, Choose };
    void paintRanks();
    [[nodiscard]] BarImage::Shares meanOf(int first, int last) const;
    [[nodiscard]] std::int64_t timeAt(double x) const;
    [[nodiscard]] QRect strip() const;

    Session m_session;
    Interval m_shown;
    BarImage m_image;
    Drag m_drag = Drag::None;
    std::int64_t m_pressed = 0;
    std::optional<Interval> m_chosen; ///< while it is dragged
    bool m_stale = true;              ///< m_image must be painted again
};

} // namespace ringside::gui
