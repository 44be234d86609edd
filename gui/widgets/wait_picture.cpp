// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/wait_picture.h"

#include "base/text.h"
#include "base/theme.h"
#include "widgets/picture_menu.h"

#include <QHelpEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace ringside::gui {
namespace {

using namespace Qt::StringLiterals;
using document::WaitPicture;

QPointF at(WaitPicture::Point point)
{
    return {point.x, point.y};
}

QRectF rectOf(const WaitPicture::Box& box)
{
    return {box.x, box.y, WaitPicture::kBoxWidth, box.height};
}

} // namespace

WaitPictureWidget::WaitPictureWidget(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(u"Who waits for whom"_s);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    addPictureMenu(*this);
}

void WaitPictureWidget::setChain(const document::WaitChain& chain)
{
    m_picture = pictureOf(chain);
    QString lines;
    for (const std::string& line : waitLines(chain)) {
        lines += toQt(line) + u'\n';
    }
    setAccessibleDescription(lines);
    updateGeometry();
    update();
}

double WaitPictureWidget::scale(int width) const
{
    return m_picture.width > 0 ? std::min(1.0, width / m_picture.width) : 1.0;
}

int WaitPictureWidget::heightForWidth(int width) const
{
    return static_cast<int>(std::ceil(m_picture.height * scale(width)));
}

QSize WaitPictureWidget::sizeHint() const
{
    constexpr int kWide = 520;
    return {kWide, heightForWidth(kWide)};
}

QSize WaitPictureWidget::minimumSizeHint() const
{
    constexpr int kNarrow = 300;
    return {kNarrow, heightForWidth(kNarrow)};
}

void WaitPictureWidget::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(scale(width()), scale(width()));
    for (const WaitPicture::Arrow& arrow : m_picture.arrows) {
        paintArrow(painter, arrow);
    }
    for (const WaitPicture::Box& box : m_picture.boxes) {
        paintBox(painter, box);
    }
}

void WaitPictureWidget::paintArrow(QPainter& painter, const WaitPicture::Arrow& arrow) const
{
    constexpr double kHead = 10;
    constexpr double kHalfWidth = 4.5;
    const Theme& theme = themeOf(palette());
    QPainterPath path(at(arrow.from));
    path.quadTo(at(arrow.bend), at(arrow.to));
    painter.setPen(QPen(theme.dim, 1.8));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path);
    const QPointF along = at(arrow.to) - at(arrow.bend);
    const double length = std::max(1.0, std::hypot(along.x(), along.y()));
    const QPointF unit = along / length;
    const QPointF across(-unit.y() * kHalfWidth, unit.x() * kHalfWidth);
    const QPointF base = at(arrow.to) - unit * kHead;
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.dim);
    painter.drawPolygon(QPolygonF({at(arrow.to), base + across, base - across}));
}

void WaitPictureWidget::paintBox(QPainter& painter, const WaitPicture::Box& box) const
{
    const Theme& theme = themeOf(palette());
    painter.setPen(box.origin ? QPen(theme.communication, 2.5) : QPen(theme.line, 1.5));
    painter.setBrush(theme.card);
    painter.drawRoundedRect(rectOf(box), 5, 5);
    painter.setPen(theme.text);
    QFont bold = font();
    bold.setPixelSize(12);
    QFont plain = bold;
    bold.setBold(true);
    QRectF line = rectOf(box).adjusted(WaitPicture::kMargin, WaitPicture::kMargin, -WaitPicture::kMargin, 0);
    line.setHeight(WaitPicture::kLineHeight);
    for (std::size_t i = 0; i < box.lines.size(); ++i) {
        painter.setFont(i == 0 ? bold : plain);
        painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(toQt(box.lines[i]), Qt::ElideRight,
                                                          static_cast<int>(line.width())));
        line.translate(0, WaitPicture::kLineHeight);
    }
}

bool WaitPictureWidget::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip) {
        return QWidget::event(event);
    }
    const auto* const help = static_cast<QHelpEvent*>(event);
    const QPointF place = QPointF(help->pos()) / scale(width());
    const auto box =
        std::ranges::find_if(m_picture.boxes, [&](const auto& each) { return rectOf(each).contains(place); });
    if (box != m_picture.boxes.end()) {
        QToolTip::showText(help->globalPos(), toQt(box->whole), this);
    } else {
        QToolTip::hideText();
    }
    return true;
}

} // namespace ringside::gui
