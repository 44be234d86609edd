// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/follower.h"

#include <algorithm>
#include <ctime>
#include <utility>

namespace ringside::gui {
namespace {

using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

/// Of all threads of this process.
std::chrono::nanoseconds processorTime()
{
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

} // namespace

std::chrono::milliseconds periodOf(std::chrono::nanoseconds processorTime)
{
    constexpr int kShare = 10; // a tenth of one core
    return std::max<std::chrono::milliseconds>(
        1s, std::chrono::duration_cast<std::chrono::milliseconds>(kShare * processorTime));
}

Follower::Follower(std::function<bool()> isBusy, QObject* parent)
    : QObject(parent), m_isBusy(std::move(isBusy))
{
    m_next.setSingleShot(true);
    m_notBusy.setSingleShot(true);
    connect(&m_next, &QTimer::timeout, this, &Follower::read);
    connect(&m_notBusy, &QTimer::timeout, this, &Follower::showRead);
}

void Follower::start(const Paths& paths)
{
    stop();
    m_paths = paths;
    m_period = 1s;
    setState(State::Following);
    m_next.start(m_period);
}

void Follower::stop()
{
    m_next.stop();
    m_notBusy.stop();
    m_read.reset();
    if (m_job) {
        m_job->cancel(); // its thread is waited for when the next reading begins: not now, the user waits
    }
    m_isReading = false;
    m_failure.clear();
    setState(State::Off);
}

void Follower::setPaused(bool paused)
{
    if (m_state != (paused ? State::Following : State::Paused)) {
        return;
    }
    setState(paused ? State::Paused : State::Following);
    if (paused) {
        m_next.stop();
    } else if (!m_isReading) {
        m_next.start(0ms);
    }
}

void Follower::read()
{
    m_job = std::make_unique<OpenJob>(m_paths, OpenJob::Priority::Aside);
    connect(m_job.get(), &OpenJob::sessionReady, this, [this](const Session& session) {
        if (session.timeline) {
            m_read = session;
            showRead();
        }
    });
    connect(m_job.get(), &OpenJob::failed, this, [this](const Failure& failure) {
        readingEnded(failure.isRunning, failure.title + u": "_s + failure.what);
    });
    m_isReading = true;
    m_begun.start();
    m_processorTimeBefore = processorTime();
    m_job->start();
}

void Follower::showRead()
{
    if (m_state == State::Following && m_isBusy()) {
        m_notBusy.start(100ms);
        return;
    }
    const Session session = *std::exchange(m_read, std::nullopt);
    if (m_state == State::Following) {
        emit sessionReady(session);
    }
    readingEnded(session.isRunning, {});
}

void Follower::readingEnded(bool isRunning, const QString& failure)
{
    m_isReading = false;
    if (m_state != State::Following) {
        return; // what was read is not shown, so that the end is read again
    }
    m_failure = failure;
    m_period = periodOf(processorTime() - m_processorTimeBefore);
    if (isRunning) {
        m_next.start(std::max(0ms, m_period - std::chrono::milliseconds(m_begun.elapsed())));
    }
    setState(isRunning ? State::Following : State::Ended);
}

void Follower::setState(State state)
{
    m_state = state;
    emit stateChanged();
}

} // namespace ringside::gui
