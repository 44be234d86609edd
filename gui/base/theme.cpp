// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/theme.h"

#include <QApplication>
#include <QFontInfo>
#include <QPalette>
#include <QStyle>

#include <algorithm>
#include <cmath>

namespace ringside::gui {
namespace {

using timeline::SpanKind;

void setSpans(Theme& theme, const QColor& wait, const QColor& call, const QColor& range, const QColor& step)
{
    const auto set = [&](SpanKind kind, const QColor& colour) {
        theme.spans[static_cast<std::size_t>(kind)] = colour;
    };
    set(SpanKind::Step, step);
    set(SpanKind::Compute, theme.compute);
    set(SpanKind::Communication, theme.communication);
    set(SpanKind::Wait, wait);
    set(SpanKind::Transfer, theme.communication);
    set(SpanKind::Copy, theme.copy);
    set(SpanKind::Range, range);
    set(SpanKind::ApiCall, call);
    set(SpanKind::NcclCall, QColor(0xE6, 0x9F, 0x00));
    set(SpanKind::NcclGroup, QColor(0xB8, 0x86, 0x2E));
    set(SpanKind::Launch, call);
    set(SpanKind::PythonCall, QColor(0xF0, 0xE4, 0x42));
}

Theme lightTheme()
{
    Theme theme;
    theme.window = QColor(0xF3, 0xF4, 0xF6);
    theme.base = Qt::white;
    theme.card = QColor(0xFA, 0xFB, 0xFC);
    theme.text = QColor(0x1B, 0x20, 0x2A);
    theme.dim = QColor(0x59, 0x62, 0x70);
    theme.line = QColor(0xD4, 0xD9, 0xE0);
    theme.accent = QColor(0x1F, 0x5F, 0xAE);
    theme.compute = QColor(0x00, 0x72, 0xB2);
    theme.communication = QColor(0xD5, 0x5E, 0x00);
    theme.copy = QColor(0x00, 0x9E, 0x73);
    theme.idle = QColor(0xC3, 0xC9, 0xD2);
    theme.samples = QColor(0x6A, 0x51, 0xA3);
    theme.problem = QColor(0xB3, 0x26, 0x1E);
    theme.warning = QColor(0x8A, 0x5A, 0x00);
    theme.info = QColor(0x23, 0x60, 0x9C);
    theme.mark = QColor(0x11, 0x14, 0x1A);
    theme.series = {theme.compute,
                    theme.communication,
                    theme.copy,
                    QColor(0xB0, 0x4E, 0x86),
                    QColor(0x9A, 0x6B, 0x00),
                    QColor(0x2B, 0x8F, 0xC4),
                    theme.text};
    theme.families = {theme.compute,
                      QColor(0xB4, 0xE0, 0xF8),
                      QColor(0xE9, 0x8F, 0xFA),
                      QColor(0xEB, 0xA9, 0x0E),
                      QColor(0x59, 0x68, 0x78),
                      QColor(0xB6, 0xAC, 0xAC),
                      theme.copy,
                      theme.communication,
                      QColor(0x68, 0x15, 0x10),
                      QColor(0xBC, 0x00, 0x00),
                      QColor(0x9C, 0x66, 0x3A),
                      QColor(0x61, 0x4A, 0x43)};
    setSpans(theme, QColor(0xF6, 0xC8, 0x9F), QColor(0x8B, 0x95, 0xA5), QColor(0xCC, 0x79, 0xA7),
             QColor(0xDD, 0xE2, 0xE9));
    return theme;
}

Theme darkTheme()
{
    Theme theme;
    theme.dark = true;
    theme.window = QColor(0x1E, 0x22, 0x2A);
    theme.base = QColor(0x15, 0x18, 0x1E);
    theme.card = QColor(0x24, 0x29, 0x32);
    theme.text = QColor(0xE6, 0xE9, 0xEF);
    theme.dim = QColor(0xA2, 0xAB, 0xBA);
    theme.line = QColor(0x39, 0x41, 0x4E);
    theme.accent = QColor(0x6C, 0xB0, 0xF5);
    theme.compute = QColor(0x3A, 0x9B, 0xDC);
    theme.communication = QColor(0xF0, 0x7B, 0x2A);
    theme.copy = QColor(0x1F, 0xB8, 0x8B);
    theme.idle = QColor(0x4B, 0x53, 0x61);
    theme.samples = QColor(0xA9, 0x8F, 0xE0);
    theme.problem = QColor(0xFF, 0x8A, 0x80);
    theme.warning = QColor(0xF0, 0xB9, 0x5A);
    theme.info = QColor(0x7D, 0xB7, 0xF0);
    theme.mark = Qt::white;
    theme.series = {theme.compute,
                    theme.communication,
                    theme.copy,
                    QColor(0xD9, 0x8F, 0xBB),
                    QColor(0xE6, 0x9F, 0x00),
                    QColor(0x8C, 0xCB, 0xF0),
                    theme.text};
    theme.families = {theme.compute,
                      QColor(0x83, 0xF4, 0xFB),
                      QColor(0xAF, 0x14, 0xBA),
                      QColor(0xFF, 0xF0, 0x73),
                      QColor(0x28, 0x65, 0x8E),
                      QColor(0x5D, 0x6C, 0x72),
                      theme.copy,
                      theme.communication,
                      QColor(0xDC, 0x3A, 0x12),
                      QColor(0xFF, 0x96, 0xCA),
                      QColor(0xA0, 0x7A, 0x44),
                      QColor(0x58, 0x3B, 0x29)};
    setSpans(theme, QColor(0x7A, 0x4A, 0x22), QColor(0x6B, 0x75, 0x86), QColor(0xC9, 0x7F, 0xAB),
             QColor(0x33, 0x3B, 0x47));
    return theme;
}

QPalette paletteOf(const Theme& theme)
{
    QPalette palette;
    palette.setColor(QPalette::Window, theme.window);
    palette.setColor(QPalette::WindowText, theme.text);
    palette.setColor(QPalette::Base, theme.base);
    palette.setColor(QPalette::AlternateBase, theme.card);
    palette.setColor(QPalette::Text, theme.text);
    palette.setColor(QPalette::PlaceholderText, theme.dim);
    palette.setColor(QPalette::Button, theme.dark ? QColor(0x2C, 0x32, 0x3D) : QColor(0xE9, 0xEC, 0xF0));
    palette.setColor(QPalette::ButtonText, theme.text);
    palette.setColor(QPalette::ToolTipBase, theme.card);
    palette.setColor(QPalette::ToolTipText, theme.text);
    // Fusion draws edges with these roles. Their default in Qt is white, also in dark windows.
    palette.setColor(QPalette::Light, theme.dark ? theme.card : QColor(Qt::white));
    palette.setColor(QPalette::Midlight, theme.dark ? theme.card : theme.window);
    palette.setColor(QPalette::Mid, theme.line);
    palette.setColor(QPalette::Dark, theme.dark ? theme.base : theme.idle);
    palette.setColor(QPalette::Shadow, theme.dark ? QColor(Qt::black) : theme.dim);
    palette.setColor(QPalette::Link, theme.accent);
    palette.setColor(QPalette::LinkVisited, theme.accent);
    palette.setColor(QPalette::Highlight, theme.dark ? QColor(0x2F, 0x5D, 0x91) : theme.accent);
    palette.setColor(QPalette::HighlightedText, Qt::white);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        palette.setColor(QPalette::Disabled, role,
                         theme.dark ? theme.idle.lighter(140) : theme.idle.darker(130));
    }
    return palette;
}

const Theme& light()
{
    static const Theme theme = lightTheme();
    return theme;
}

const Theme& dark()
{
    static const Theme theme = darkTheme();
    return theme;
}

double luminance(const QColor& colour)
{
    const auto channel = [](double value) {
        return value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * channel(colour.redF()) + 0.7152 * channel(colour.greenF()) +
           0.0722 * channel(colour.blueF());
}

} // namespace

const Theme& themeOf(const QPalette& palette)
{
    return palette.color(QPalette::Window).lightness() < 128 ? dark() : light();
}

double contrast(const QColor& a, const QColor& b)
{
    const auto [low, high] = std::minmax({luminance(a), luminance(b)});
    return (high + 0.05) / (low + 0.05);
}

QColor inkOn(const QColor& background)
{
    return contrast(background, Qt::black) >= contrast(background, Qt::white) ? Qt::black : Qt::white;
}

int scaled(int pixels)
{
    constexpr int kLetters = 12;
    return qobject_cast<QGuiApplication*>(QCoreApplication::instance()) == nullptr
               ? pixels
               : pixels * std::max(kLetters, QFontInfo(QApplication::font()).pixelSize()) / kLetters;
}

void applyAppearance(QApplication& application, Appearance appearance)
{
    if (appearance == Appearance::System) {
        application.setPalette(application.style()->standardPalette());
        return;
    }
    application.setStyle(QStringLiteral("Fusion"));
    const Theme& theme = appearance == Appearance::Dark ? dark() : light();
    QPalette palette = paletteOf(theme);
    QApplication::setPalette(palette);
    // In a dark window, Fusion draws no visible edge around a check box. Its inside needs another colour than
    // the window.
    palette.setColor(QPalette::Base, theme.dark ? theme.idle : theme.base);
    QApplication::setPalette(palette, "QCheckBox");
}

} // namespace ringside::gui
