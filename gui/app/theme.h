// SPDX-License-Identifier: GPL-3.0-or-later
// Every colour the program paints with, once for light and once for dark windows. Data colours are those of
// Okabe and Ito (2008), which people who see few colours can tell apart; no meaning hangs on colour alone.
#pragma once
#include "timeline/lane.h"

#include <QColor>

#include <array>

class QApplication;
class QPalette;

namespace ringside::gui {

struct Theme {
    bool dark = false;
    QColor window, base, card, text, dim, line, accent;
    QColor compute, communication, copy, idle; ///< parts of a step
    QColor samples;                            ///< lines of what was sampled
    QColor problem, warning, info;
    QColor mark; ///< on top of data: the last arriver, a selection
    std::array<QColor, timeline::kSpanKinds> spans;
    std::array<QColor, 7> series; ///< lines of a chart
    [[nodiscard]] const QColor& of(timeline::SpanKind kind) const
    {
        return spans[static_cast<std::size_t>(kind)];
    }
};

/// By how light the windows of a palette are.
[[nodiscard]] const Theme& themeOf(const QPalette& palette);
/// Black or white, whichever reads better on it.
[[nodiscard]] QColor inkOn(const QColor& background);
/// Of WCAG 2: from 1 to 21.
[[nodiscard]] double contrast(const QColor& a, const QColor& b);

enum class Appearance : std::uint8_t { System, Light, Dark };
/// Takes effect on all windows at once. Light and dark come with Qt's own style, so that they look alike
/// everywhere.
void applyAppearance(QApplication& application, Appearance appearance);

} // namespace ringside::gui
