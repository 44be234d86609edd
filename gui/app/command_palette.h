// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl+P: everything the program can do, and the findings and ranks of the run, found by a few letters. Its
// commands are the window's actions, so that they cannot be incomplete.
#pragma once
#include "session.h"

#include <QDialog>

#include <functional>
#include <vector>

class QAction;
class QLineEdit;
class QListWidget;

namespace ringside::gui {

class Navigator;

struct Choice {
    QString line;
    std::function<void()> act;
};
/// Returns the findings and the ranks of a run; choosing one shows it in the timeline.
[[nodiscard]] std::vector<Choice> placesOf(const Session& session, Navigator& navigator);
/// Returns the actions of a window that a user can trigger: enabled, with a text, without menus.
[[nodiscard]] std::vector<QAction*> commandsOf(const QWidget& window);
/// Returns the text of an action without the mnemonic and the ellipsis: "&Open run…" gives "Open run".
[[nodiscard]] QString commandName(const QAction& action);

class CommandPalette final : public QDialog {
    Q_OBJECT
public:
    /// Lists the commands that `window` offers now, then `places`.
    CommandPalette(QWidget& window, const std::vector<Choice>& places);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void filter(const QString& text);
    void runChosen();

    std::vector<Choice> m_choices;
    QLineEdit* m_text;
    QListWidget* m_list;
};

/// Returns a table of all actions of a window and their keys, as HTML; those with a key come first.
[[nodiscard]] QString helpHtml(const QWidget& window);

} // namespace ringside::gui
