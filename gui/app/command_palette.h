// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl+P: everything the program can do, found by a few letters. Its list is the window's actions, so that it
// cannot be incomplete.
#pragma once
#include <QDialog>

#include <vector>

class QAction;
class QLineEdit;
class QListWidget;

namespace ringside::gui {

/// Actions of a window that a user can trigger: with a text, enabled, no menus.
[[nodiscard]] std::vector<QAction*> commandsOf(const QWidget& window);
/// "&Open run…" -> "Open run"
[[nodiscard]] QString commandName(const QAction& action);

class CommandPalette final : public QDialog {
    Q_OBJECT
public:
    /// Lists what `window` can do now.
    explicit CommandPalette(QWidget& window);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void filter(const QString& text);
    void runChosen();

    std::vector<QAction*> m_commands;
    QLineEdit* m_text;
    QListWidget* m_list;
};

} // namespace ringside::gui
