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

/// Returns the actions of a window that a user can trigger: enabled, with a text, without menus.
[[nodiscard]] std::vector<QAction*> commandsOf(const QWidget& window);
/// Returns the text of an action without the mnemonic and the ellipsis: "&Open run…" gives "Open run".
[[nodiscard]] QString commandName(const QAction& action);

class CommandPalette final : public QDialog {
    Q_OBJECT
public:
    /// Lists the commands that `window` offers now.
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

/// Returns a table of all actions of a window and their keys, as HTML; those with a key come first.
[[nodiscard]] QString helpHtml(const QWidget& window);

} // namespace ringside::gui
