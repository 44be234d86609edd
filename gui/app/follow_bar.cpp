// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/follow_bar.h"

#include "app/follower.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

namespace ringside::gui {

using namespace Qt::StringLiterals;

FollowBar::FollowBar(const Follower& follower, QAction* pause, QWidget* parent)
    : QWidget(parent), m_follower(follower), m_pause(pause)
{
    m_text = new QLabel(this);
    m_text->setObjectName(u"following"_s);
    auto* const button = new QToolButton(this);
    button->setDefaultAction(pause);
    button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    button->setFocusPolicy(Qt::TabFocus);
    m_button = button;
    auto* const line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 6, 0);
    line->addWidget(m_text);
    line->addWidget(m_button);
    connect(&follower, &Follower::stateChanged, this, &FollowBar::update);
    update();
}

void FollowBar::setSteps(std::optional<std::size_t> steps)
{
    m_steps = steps;
    update();
}

void FollowBar::update()
{
    const Follower::State state = m_follower.state();
    const bool paused = state == Follower::State::Paused;
    const bool runs = paused || state == Follower::State::Following;
    m_pause->setEnabled(runs);
    m_pause->setText(paused ? u"&Follow"_s : u"&Pause"_s);
    m_button->setVisible(runs);
    m_text->setText(text());
    m_text->setToolTip(m_follower.failure());
    setVisible(state != Follower::State::Off);
}

QString FollowBar::text() const
{
    const QString steps = m_steps ? u", %L1 steps"_s.arg(*m_steps) : QString();
    switch (m_follower.state()) {
    case Follower::State::Following: {
        if (!m_follower.failure().isEmpty()) {
            return u"Following: the latest reading failed, it is tried again"_s;
        }
        const auto seconds = std::chrono::round<std::chrono::seconds>(m_follower.period()).count();
        return u"Following the job%1, read every %2"_s.arg(steps, seconds > 1 ? u"%1 s"_s.arg(seconds)
                                                                              : u"second"_s);
    }
    case Follower::State::Paused:
        return u"Paused%1: the job runs on"_s.arg(steps);
    case Follower::State::Ended:
        return m_follower.failure().isEmpty() ? u"The job has ended%1"_s.arg(steps)
                                              : u"The job has ended, and its end cannot be read"_s;
    case Follower::State::Off:
        break;
    }
    return {};
}

} // namespace ringside::gui
