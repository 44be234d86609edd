// SPDX-License-Identifier: GPL-3.0-or-later
// Strip of the whole run with a thin line for each rank and a frame around the visible part. A click or drag
// moves the visible part.
#pragma once
#include "session.h"
#include "timeline/bar_image.h"
#include "timeline/coordinates.h"

#include <QWidget>

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

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    void paintRanks();
    [[nodiscard]] QRect strip() const;

    Session m_session;
    Interval m_shown;
    BarImage m_image;
    bool m_stale = true; ///< m_image must be painted again
};

} // namespace ringside::gui
