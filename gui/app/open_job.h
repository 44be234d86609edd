// SPDX-License-Identifier: GPL-3.0-or-later
// Opens a run in the background and hands over results as they come: the report first, then the timeline.
// Knows no widgets.
#pragma once
#include "session.h"

#include <QObject>
#include <QString>

#include <atomic>
#include <thread>

namespace ringside::gui {

/// Why a run cannot be shown, in words for the user.
struct Failure {
    QString title;
    QString what;
    QString hint; ///< what to do about it; between back quotes stands what can be typed
};

class OpenJob final : public QObject {
    Q_OBJECT
public:
    explicit OpenJob(Paths paths, QObject* parent = nullptr);
    /// Cancels, and waits until the work has stopped.
    ~OpenJob() override;
    OpenJob(const OpenJob&) = delete;
    OpenJob& operator=(const OpenJob&) = delete;

    void start();
    /// Nothing is told after this. Reading and the timeline stop within a tenth of a second, the report when
    /// its model, metrics or rule under way are done.
    void cancel();

signals:
    void stageChanged(const QString& stage);
    void progressed(double megabytes, double total);
    void sessionReady(const ringside::gui::Session& session); ///< twice: without and with the timeline
    void failed(const ringside::gui::Failure& failure);

private:
    void run();
    void work();
    template <class Tell>
    void tell(const Tell& what);

    Paths m_paths;
    std::atomic<bool> m_cancelled{false};
    std::jthread m_thread;
};

} // namespace ringside::gui
