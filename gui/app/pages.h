// SPDX-License-Identifier: GPL-3.0-or-later
// What the window shows while there is no run to show: each page says what to do next.
#pragma once
#include "report/report.h"

#include <QString>

#include <functional>

class QLabel;
class QMainWindow;
class QProgressBar;
class QWidget;

namespace ringside::gui {

using Act = std::function<void()>;

[[nodiscard]] QWidget* startPage(const Act& openRun, const Act& openFiles);

struct OpeningPage {
    QWidget* page;
    QLabel* text;
    QProgressBar* bar;
};
[[nodiscard]] OpeningPage openingPage(const Act& cancel);

struct FailurePage {
    QWidget* page;
    QLabel* text;
};
[[nodiscard]] FailurePage failurePage(const Act& openOther, const Act& tryAgain);

/// All that a window's actions do, with their keys: a table made from them, those with a key first.
[[nodiscard]] QString helpHtml(const QMainWindow& window);
/// For a file dialog: native traces, and one line an importer.
[[nodiscard]] QString fileFilters();
[[nodiscard]] std::string htmlReport(const report::Report& report);

} // namespace ringside::gui
