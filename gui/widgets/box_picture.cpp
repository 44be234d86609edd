// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/box_picture.h"

#include "base/text.h"
#include "base/theme.h"
#include "widgets/picture_menu.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace ringside::gui {
namespace {

using namespace Qt::StringLiterals;
using document::BoxPicture;

constexpr int kPixelSize = 12; ///< of the texts, for which the analyzer made the boxes

QPointF at(BoxPicture::Point point)
{
    return {point.x, point.y};
}

QRectF rectOf(const BoxPicture::Box& box)
{
    return {box.x, box.y, BoxPicture::kBoxWidth, box.height};
}

} // namespace

BoxPictureWidget::BoxPictureWidget(QWidget* parent) : QWidget(parent)
{
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    addPictureMenu(*this, [this](const QPoint& position) {
        const Box* const box = boxAt(position);
        return box == nullptr ? accessibleDescription() : toQt(box->whole);
    });
}

void BoxPictureWidget::setPicture(BoxPicture picture, const QString& name,
                                  const std::vector<std::string>& lines)
{
    m_picture = std::move(picture);
    m_current = std::min(m_current, m_picture.boxes.size());
    QString text;
    for (const std::string& line : lines) {
        text += toQt(line) + u'\n';
    }
    setAccessibleName(name);
    setAccessibleDescription(text);
    updateGeometry();
    update();
}

double BoxPictureWidget::scale(int width) const
{
    const double largest = std::max(1.0, static_cast<double>(QFontInfo(font()).pixelSize()) / kPixelSize);
    return m_picture.width > 0 ? std::min(largest, width / m_picture.width) : 1.0;
}

int BoxPictureWidget::heightForWidth(int width) const
{
    return static_cast<int>(std::ceil(m_picture.height * scale(width)));
}

QSize BoxPictureWidget::sizeHint() const
{
    constexpr int kWide = 520;
    return {kWide, heightForWidth(kWide)};
}

QSize BoxPictureWidget::minimumSizeHint() const
{
    constexpr int kNarrow = 300;
    return {kNarrow, heightForWidth(kNarrow)};
}

QPoint BoxPictureWidget::middleOf(std::size_t box) const
{
    return (rectOf(m_picture.boxes[box]).center() * scale(width())).toPoint();
}

const BoxPictureWidget::Box* BoxPictureWidget::boxAt(const QPoint& position) const
{
    const QPointF place = QPointF(position) / scale(width());
    const auto box =
        std::ranges::find_if(m_picture.boxes, [&](const Box& each) { return rectOf(each).contains(place); });
    return box != m_picture.boxes.end() ? &*box : nullptr;
}

void BoxPictureWidget::choose(const Box& box)
{
    m_current = static_cast<std::size_t>(&box - m_picture.boxes.data());
    update();
    if (box.place) {
        emit placeChosen(*box.place);
    }
}

void BoxPictureWidget::moveFocus(int by)
{
    const auto count = static_cast<int>(m_picture.boxes.size());
    m_current = static_cast<std::size_t>(std::clamp(static_cast<int>(m_current) + by, 0, count - 1));
    QToolTip::showText(mapToGlobal(middleOf(m_current)), toQt(m_picture.boxes[m_current].whole), this);
    update();
}

void BoxPictureWidget::keyPressEvent(QKeyEvent* event)
{
    const int key = event->key();
    if (m_picture.boxes.empty()) {
        QWidget::keyPressEvent(event);
    } else if (key == Qt::Key_Down || key == Qt::Key_Right) {
        moveFocus(1);
    } else if (key == Qt::Key_Up || key == Qt::Key_Left) {
        moveFocus(-1);
    } else if (key == Qt::Key_Return || key == Qt::Key_Enter) {
        choose(m_picture.boxes[m_current]);
    } else {
        QWidget::keyPressEvent(event);
    }
}

void BoxPictureWidget::mouseReleaseEvent(QMouseEvent* event)
{
    const Box* const box = event->button() == Qt::LeftButton ? boxAt(event->pos()) : nullptr;
    if (box != nullptr) {
        choose(*box);
    }
}

void BoxPictureWidget::mouseMoveEvent(QMouseEvent* event)
{
    const Box* const box = boxAt(event->pos());
    setCursor(box != nullptr && box->place ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void BoxPictureWidget::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(scale(width()), scale(width()));
    for (const BoxPicture::Arrow& arrow : m_picture.arrows) {
        paintArrow(painter, arrow);
    }
    for (const Box& box : m_picture.boxes) {
        paintBox(painter, box);
    }
}

void BoxPictureWidget::paintArrow(QPainter& painter, const BoxPicture::Arrow& arrow) const
{
    const Theme& theme = themeOf(palette());
    QPainterPath path(at(arrow.from));
    path.quadTo(at(arrow.bend), at(arrow.to));
    painter.setPen(QPen(theme.dim, 1.8));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.dim);
    QPolygonF head;
    for (const BoxPicture::Point& corner : arrow.head()) {
        head << at(corner);
    }
    painter.drawPolygon(head);
}

/// The first line of a box that leads to a moment has the colour of links.
void BoxPictureWidget::paintBox(QPainter& painter, const Box& box) const
{
    const Theme& theme = themeOf(palette());
    const bool current = hasFocus() && &box == &m_picture.boxes[m_current];
    painter.setPen(current      ? QPen(theme.accent, 3)
                   : box.origin ? QPen(theme.communication, 2.5)
                                : QPen(theme.line, 1.5));
    painter.setBrush(theme.card);
    painter.drawRoundedRect(rectOf(box), 5, 5);
    QFont bold = font();
    bold.setPixelSize(kPixelSize);
    QFont plain = bold;
    bold.setBold(true);
    QRectF line = rectOf(box).adjusted(BoxPicture::kMargin, BoxPicture::kMargin, -BoxPicture::kMargin, 0);
    line.setHeight(BoxPicture::kLineHeight);
    for (std::size_t i = 0; i < box.lines.size(); ++i) {
        painter.setFont(i == 0 ? bold : plain);
        painter.setPen(i == 0 && box.place ? palette().color(QPalette::Link) : theme.text);
        painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(toQt(box.lines[i]), Qt::ElideRight,
                                                          static_cast<int>(line.width())));
        line.translate(0, BoxPicture::kLineHeight);
    }
}

bool BoxPictureWidget::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip) {
        return QWidget::event(event);
    }
    const auto* const help = static_cast<QHelpEvent*>(event);
    if (const Box* const box = boxAt(help->pos())) {
        QToolTip::showText(help->globalPos(),
                           toQt(box->whole) +
                               (box->place ? u"\nA click shows "_s + toQt(box->place->text) : QString()),
                           this);
    } else {
        QToolTip::hideText();
    }
    return true;
}

} // namespace ringside::gui
