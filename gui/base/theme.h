// SPDX-License-Identifier: GPL-3.0-or-later
// Every colour that the program paints with, for light and for dark windows. Data colours are those of Okabe
// and Ito (2008), which people with colour blindness can tell apart. No meaning depends on colour alone.
#pragma once
#include "timeline/work_family.h"

#include <QColor>

#include <array>

class QApplication;
class QPalette;

namespace ringside::gui {

struct Theme {
    bool dark = false;
    QColor window, base, card, text, dim, line, accent;
    QColor compute, communication, copy, idle; ///< parts of a step
    QColor samples;                            ///< lines of sampled series
    QColor problem, warning, info;
    QColor mark; ///< drawn on top of data: last arrivals, selections
    std::array<QColor, timeline::kSpanKinds> spans;
    std::array<QColor, timeline::kWorkFamilies> families; ///< of device work, if it is coloured by family
    std::array<QColor, 7> series;                         ///< lines of a chart, in this order
    [[nodiscard]] const QColor& of(timeline::SpanKind kind) const
    {
        return spans[static_cast<std::size_t>(kind)];
    }
    [[nodiscard]] const QColor& of(timeline::WorkFamily family) const
    {
        return families[static_cast<std::size_t>(family)];
    }
};

/// Returns the theme for a palette: the lightness of its windows decides.
[[nodiscard]] const Theme& themeOf(const QPalette& palette);
/// Returns black or white, whichever has the higher contrast on `background`.
[[nodiscard]] QColor inkOn(const QColor& background);
/// Returns the contrast ratio of WCAG 2, from 1 to 21.
[[nodiscard]] double contrast(const QColor& a, const QColor& b);

/// Returns a size for the user's letters: `pixels` is what letters of 12 pixels need. Geometry without an
/// application has such letters.
[[nodiscard]] int scaled(int pixels);

enum class Appearance : std::uint8_t { System, Light, Dark };
/// Changes all windows at once. Light and Dark use Qt's Fusion style, so that they look alike on all
/// desktops.
void applyAppearance(QApplication& application, Appearance appearance);

} // namespace ringside::gui
