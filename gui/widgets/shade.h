// SPDX-License-Identifier: GPL-3.0-or-later
// How the parts of charts are painted: the same in all of them.
#pragma once
#include "document/document.h"

class QPainter;
class QRectF;

namespace ringside::gui {

struct Theme;
/// Waiting is hatched, because it is a part of communication.
void fillShade(QPainter& painter, const QRectF& box, document::Shade shade, const Theme& theme);

} // namespace ringside::gui
