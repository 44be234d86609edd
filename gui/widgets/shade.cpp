// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shade.h"

#include "base/theme.h"

#include <QPainter>

namespace ringside::gui {
namespace {

QColor colourOf(document::Shade shade, const Theme& theme)
{
    switch (shade) {
    case document::Shade::Compute:
        return theme.compute;
    case document::Shade::Wait:
        return theme.of(timeline::SpanKind::Wait);
    case document::Shade::Communication:
        return theme.communication;
    case document::Shade::Copy:
        return theme.copy;
    case document::Shade::Idle:
        break;
    }
    return theme.idle;
}

} // namespace

void fillShade(QPainter& painter, const QRectF& box, document::Shade shade, const Theme& theme)
{
    painter.fillRect(box, colourOf(shade, theme));
    if (shade == document::Shade::Wait) {
        painter.fillRect(box, QBrush(theme.communication, Qt::BDiagPattern));
    }
}

} // namespace ringside::gui
