// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/health_sign.h"

namespace ringside::gui {

using report::Health;
using namespace Qt::StringLiterals;

QColor colourOf(Health health, const Theme& theme)
{
    return health == Health::Problem   ? theme.problem
           : health == Health::Warning ? theme.warning
           : health == Health::Ok      ? theme.copy
                                       : theme.dim;
}

Qt::PenStyle penOf(Health health)
{
    return health == Health::Problem   ? Qt::DashDotLine
           : health == Health::Warning ? Qt::DashLine
           : health == Health::Ok      ? Qt::SolidLine
                                       : Qt::DotLine;
}

void paintHealth(QPainter& painter, const QRectF& box, Health health, const Theme& theme)
{
    constexpr double kRound = 3;
    const QColor colour = colourOf(health, theme);
    const bool known = health != Health::NotMeasured;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colour, 1, known ? Qt::SolidLine : Qt::DotLine));
    painter.setBrush(known ? colour : theme.base);
    painter.drawRoundedRect(box, kRound, kRound);
    QFont font = painter.font();
    font.setBold(true);
    font.setPixelSize(std::max(8, static_cast<int>(box.height() * 0.75)));
    painter.setFont(font);
    painter.setPen(known ? inkOn(colour) : theme.dim);
    const QString sign = health == Health::Problem   ? u"\u00D7"_s
                         : health == Health::Warning ? u"!"_s
                         : health == Health::Ok      ? u"\u2713"_s
                                                     : u"?"_s;
    painter.drawText(box, Qt::AlignCenter, sign);
    painter.restore();
}

} // namespace ringside::gui
