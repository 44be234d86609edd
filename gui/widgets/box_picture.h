// SPDX-License-Identifier: GPL-3.0-or-later
// A picture of boxes and arrows, as in the HTML report: who waits for whom, what explains the step. A box
// with a moment in the run leads there, by a click or by arrow keys and Enter.
#pragma once
#include "document/document.h"

#include <QWidget>

namespace ringside::gui {

class BoxPictureWidget final : public QWidget {
    Q_OBJECT
public:
    explicit BoxPictureWidget(QWidget* parent = nullptr);
    /// `lines` say the same, for screen readers.
    void setPicture(document::BoxPicture picture, const QString& name, const std::vector<std::string>& lines);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    /// The middle of a box in this widget.
    [[nodiscard]] QPoint middleOf(std::size_t box) const;

signals:
    void placeChosen(const ringside::document::Place& place);

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    using Box = document::BoxPicture::Box;
    /// Pixels of the window for one of the picture: it is made smaller where it does not fit; larger only by
    /// as much as the font is.
    [[nodiscard]] double scale(int width) const;
    [[nodiscard]] const Box* boxAt(const QPoint& position) const;
    void choose(const Box& box);
    void moveFocus(int by);
    void paintArrow(QPainter& painter, const document::BoxPicture::Arrow& arrow) const;
    void paintBox(QPainter& painter, const Box& box) const;

    document::BoxPicture m_picture;
    std::size_t m_current = 0; ///< the box that the keys are at
};

} // namespace ringside::gui
