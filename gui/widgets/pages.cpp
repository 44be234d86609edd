// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/pages.h"

#include "base/theme.h"

#include <QFileInfo>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSettings>
#include <QUrl>
#include <QVBoxLayout>

namespace ringside::gui {
namespace {

using namespace Qt::StringLiterals;

constexpr int kColumn = 560; ///< pixels: longer lines are hard to read

/// Adds a column in the middle of the page.
QVBoxLayout* columnOn(QWidget* page)
{
    auto* const across = new QHBoxLayout(page);
    auto* const column = new QWidget(page);
    column->setFixedWidth(scaled(kColumn));
    auto* const lines = new QVBoxLayout(column);
    lines->setSpacing(12);
    across->addStretch();
    across->addWidget(column);
    across->addStretch();
    lines->addStretch(1);
    return lines;
}

QLabel* textIn(QVBoxLayout* lines, const QString& html)
{
    auto* const text = new QLabel(html);
    text->setTextFormat(Qt::RichText);
    text->setWordWrap(true);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    text->setMinimumWidth(scaled(kColumn) - 20);
    lines->addWidget(text);
    return text;
}

QPushButton* button(const QString& text, const QString& help, const Act& act)
{
    auto* const each = new QPushButton(text);
    each->setToolTip(help);
    each->setAccessibleDescription(help);
    QObject::connect(each, &QPushButton::clicked, each, act);
    return each;
}

QHBoxLayout* buttons(std::initializer_list<QPushButton*> list)
{
    auto* const line = new QHBoxLayout;
    for (QPushButton* each : list) {
        line->addWidget(each);
    }
    line->addStretch();
    return line;
}

} // namespace

QWidget* startPage(const Act& openRun, const Act& openFiles, const OpenPath& openRecent)
{
    auto* const page = new QWidget;
    QVBoxLayout* const lines = columnOn(page);
    textIn(
        lines,
        u"<h1>Ringside</h1><p>Open a run, or drop one here.</p>"
        u"<p>To record one, put <code>ringside record</code> before the command that starts the training:</p>"
        u"<pre>ringside record -o run.ringside -- torchrun train.py</pre>"
        u"<p>Ringside also opens traces of the PyTorch profiler, Nsight Systems (SQLite export), NCCL "
        u"Inspector and the NCCL flight recorder.</p>"_s);
    auto* const run =
        button(u"Open a run…"_s, u"Opens a run directory written by ringside record"_s, openRun);
    run->setDefault(true);
    lines->addLayout(
        buttons({run, button(u"Open files…"_s, u"Opens merged runs or traces of other tools"_s, openFiles)}));
    QString recent;
    for (const QString& path : QSettings().value("recent"_L1).toStringList()) {
        if (QFileInfo::exists(path)) {
            recent += u"<div><a href=\"%1\">%2</a></div>"_s.arg(QUrl::fromLocalFile(path).toString(),
                                                                path.toHtmlEscaped());
        }
    }
    if (!recent.isEmpty()) {
        QLabel* const list = textIn(lines, u"<h4>Recent runs</h4>"_s + recent);
        list->setTextInteractionFlags(Qt::TextBrowserInteraction);
        QObject::connect(list, &QLabel::linkActivated, list,
                         [openRecent](const QString& link) { openRecent(QUrl(link).toLocalFile()); });
    }
    lines->addStretch(2);
    return page;
}

OpeningPage openingPage(const Act& cancel)
{
    OpeningPage result{new QWidget, nullptr, nullptr};
    QVBoxLayout* const lines = columnOn(result.page);
    result.text = textIn(lines, {});
    result.bar = new QProgressBar;
    result.bar->setAccessibleName(u"Progress of opening"_s);
    lines->addWidget(result.bar);
    lines->addLayout(buttons({button(u"Cancel"_s, u"Stops opening"_s, cancel)}));
    lines->addStretch(2);
    return result;
}

FailurePage failurePage(const Act& openOther, const Act& tryAgain)
{
    FailurePage result{new QWidget, nullptr};
    QVBoxLayout* const lines = columnOn(result.page);
    result.text = textIn(lines, {});
    lines->addLayout(buttons({button(u"Open another run…"_s, u"Opens another run directory"_s, openOther),
                              button(u"Try again"_s, u"Opens the same run again"_s, tryAgain)}));
    lines->addStretch(2);
    return result;
}

} // namespace ringside::gui
