// SPDX-License-Identifier: GPL-3.0-or-later
// How health is painted: a sign and a pattern of lines, so that it does not depend on colour. What was not
// measured is an empty, dotted shape.
#pragma once
#include "base/theme.h"
#include "report/links.h"

#include <QPainter>

namespace ringside::gui {

[[nodiscard]] QColor colourOf(report::Health health, const Theme& theme);
[[nodiscard]] Qt::PenStyle penOf(report::Health health);
/// Paints a tick, "!", a cross or "?" in a square.
void paintHealth(QPainter& painter, const QRectF& box, report::Health health, const Theme& theme);

} // namespace ringside::gui
