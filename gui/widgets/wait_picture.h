// SPDX-License-Identifier: GPL-3.0-or-later
// Who waits for whom: boxes of ranks, and arrows to those that they wait for, as in the HTML report.
#pragma once
#include "document/document.h"

#include <QWidget>

namespace ringside::gui {

class WaitPictureWidget final : public QWidget {
    Q_OBJECT
public:
    explicit WaitPictureWidget(QWidget* parent = nullptr);
    void setChain(const document::WaitChain& chain);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    /// Pixels of the window for one of the picture: it is made smaller where it does not fit, never larger.
    [[nodiscard]] double scale(int width) const;
    void paintArrow(QPainter& painter, const document::WaitPicture::Arrow& arrow) const;
    void paintBox(QPainter& painter, const document::WaitPicture::Box& box) const;

    document::WaitPicture m_picture;
};

} // namespace ringside::gui
