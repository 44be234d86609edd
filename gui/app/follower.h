// SPDX-License-Identifier: GPL-3.0-or-later
// Follows a job that runs: reads its run again and again in the background, at the lowest priority and with a
// pause in proportion to what a reading costs, until the job ends. Uses no widgets.
#pragma once
#include "base/open_job.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace ringside::gui {

/// Returns how long to wait from the begin of a reading to the begin of the next one: a second, but so long
/// that readings take at most a tenth of one core.
[[nodiscard]] std::chrono::milliseconds periodOf(std::chrono::nanoseconds processorTime);

class Follower final : public QObject {
    Q_OBJECT
public:
    enum class State : std::uint8_t {
        Off, ///< the run that is open was not running
        Following,
        Paused, ///< by the user: nothing is read
        Ended,  ///< the job has ended, and everything that it recorded was read
    };
    /// What is shown stays while `isBusy` returns true: the user drags, or has a menu open.
    explicit Follower(std::function<bool()> isBusy, QObject* parent = nullptr);

    /// Begins with the next reading in a second.
    void start(const Paths& paths);
    void stop();
    /// What is being read is not shown while paused. Does nothing unless a job is followed.
    void setPaused(bool paused);
    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] std::chrono::milliseconds period() const { return m_period; } ///< between readings
    /// Returns why the latest reading failed; empty: it did not.
    [[nodiscard]] const QString& failure() const { return m_failure; }

signals:
    /// A reading has ended; the session has a timeline.
    void sessionReady(const ringside::gui::Session& session);
    void stateChanged(); ///< the state, the period or the failure

private:
    void read();
    void showRead();
    void readingEnded(bool isRunning, const QString& failure);
    void setState(State state);

    std::function<bool()> m_isBusy;
    Paths m_paths;
    bool m_isReading = false;
    State m_state = State::Off;
    QString m_failure;
    std::chrono::milliseconds m_period{};
    std::chrono::nanoseconds m_processorTimeBefore{}; ///< of the process, when the reading began
    QElapsedTimer m_begun;
    QTimer m_next;
    std::optional<Session> m_read; ///< waits to be shown
    QTimer m_notBusy;              ///< looks again whether it can be
    std::unique_ptr<OpenJob> m_job;
};

} // namespace ringside::gui
