// SPDX-License-Identifier: GPL-3.0-or-later
// Says in the status bar that a running job is followed, how often it is read and that it has ended, with a
// button that pauses.
#pragma once
#include <QWidget>

#include <optional>

class QAction;
class QLabel;

namespace ringside::gui {

class Follower;

class FollowBar final : public QWidget {
    Q_OBJECT
public:
    /// `pause` is shown as a button while there is something to pause.
    FollowBar(const Follower& follower, QAction* pause, QWidget* parent);
    /// Sets the number of steps that were read; null: no steps were found.
    void setSteps(std::optional<std::size_t> steps);

private:
    void update();
    [[nodiscard]] QString text() const;

    const Follower& m_follower;
    QAction* m_pause;
    QLabel* m_text;
    QWidget* m_button;
    std::optional<std::size_t> m_steps;
};

} // namespace ringside::gui
