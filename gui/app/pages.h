// SPDX-License-Identifier: GPL-3.0-or-later
// Pages that the window shows while no run is shown. Each page tells the user what to do next.
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
using OpenPath = std::function<void(const QString& path)>;

[[nodiscard]] QWidget* startPage(const Act& openRun, const Act& openFiles, const OpenPath& openRecent);

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

/// Returns a table of all actions of a window and their keys, as HTML; those with a key come first.
[[nodiscard]] QString helpHtml(const QMainWindow& window);
/// Returns the filters of the file dialog: native traces, and one filter for each importer.
[[nodiscard]] QString fileFilters();
[[nodiscard]] std::string htmlReport(const report::Report& report);

} // namespace ringside::gui
