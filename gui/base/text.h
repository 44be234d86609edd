// SPDX-License-Identifier: GPL-3.0-or-later
// Converts the analyzer's UTF-8 texts to Qt strings. Texts from a trace are untrusted: control characters
// become spaces.
#pragma once
#include <QString>
#include <QStringList>

#include <string_view>
#include <vector>

namespace ringside::gui {

[[nodiscard]] inline QString toQt(std::string_view text)
{
    QString result = QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
    for (QChar& c : result) {
        if (c.category() == QChar::Other_Control && c != QLatin1Char('\n')) {
            c = QLatin1Char(' ');
        }
    }
    return result;
}

[[nodiscard]] inline QStringList toQt(const std::vector<std::string>& lines)
{
    QStringList result;
    for (const std::string& line : lines) {
        result.append(toQt(line));
    }
    return result;
}

/// Escapes a text for a label or page that reads HTML. Text between back quotes becomes `<code>`.
[[nodiscard]] inline QString toHtml(std::string_view text)
{
    const QStringList parts = toQt(text).toHtmlEscaped().split(QLatin1Char('`'));
    QString result = parts.front();
    for (qsizetype i = 1; i < parts.size(); ++i) {
        const bool code = i % 2 == 1 && i + 1 < parts.size(); // a back quote without a partner stays as it is
        result += code         ? QStringLiteral("<code>%1</code>").arg(parts[i])
                  : i % 2 == 1 ? QString(QLatin1Char('`') + parts[i])
                               : parts[i];
    }
    return result;
}

} // namespace ringside::gui
