// SPDX-License-Identifier: GPL-3.0-or-later
// Pages that the window shows while no run is shown. Each page tells the user what to do next.
#pragma once
#include <QString>

#include <functional>

class QLabel;
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

} // namespace ringside::gui
