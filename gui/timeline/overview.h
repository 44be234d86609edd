// SPDX-License-Identifier: GPL-3.0-or-later
// The whole run as a strip, a thin line a rank, with a frame around what the timeline shows; a click or drag
// moves that.
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
    /// Show so much time as now, with this moment in the middle.
    void momentWanted(std::int64_t timeNs);

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
    bool m_stale = true; ///< m_image
};

} // namespace ringside::gui
