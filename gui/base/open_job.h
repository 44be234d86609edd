// SPDX-License-Identifier: GPL-3.0-or-later
// Opens a run in the background and hands over each result as soon as it exists: the report first, then the
// timeline. Uses no widgets.
#pragma once
#include "session.h"

#include <QObject>
#include <QString>

#include <atomic>
#include <thread>

namespace ringside::gui {

/// The setting that holds what the user pays for an hour of a GPU, in any currency; 0: not said.
inline constexpr QLatin1StringView kPriceSetting("report/pricePerGpuHour");

/// Why a run cannot be shown, as text for the user.
struct Failure {
    QString title;
    QString what;
    QString hint;           ///< what the user can do about it; commands stand between back quotes
    bool isRunning = false; ///< the job still runs: there may be something to read soon
};

class OpenJob final : public QObject {
    Q_OBJECT
public:
    /// Aside: somebody's job runs on the same machine and comes first.
    enum class Priority : std::uint8_t { Usual, Aside };
    explicit OpenJob(Paths paths, Priority priority = Priority::Usual, QObject* parent = nullptr);
    /// Cancels the job and waits until its thread has ended.
    ~OpenJob() override;
    OpenJob(const OpenJob&) = delete;
    OpenJob& operator=(const OpenJob&) = delete;

    void start();
    /// Emits no signal after this call. Reading and the timeline stop within a tenth of a second; the report
    /// stops after the model, the metrics or the rule that is being computed.
    void cancel();

signals:
    void stageChanged(const QString& stage);
    void progressed(double megabytes, double total);
    void sessionReady(
        const ringside::gui::Session& session); ///< emitted twice: without the timeline, then with it
    void failed(const ringside::gui::Failure& failure);

private:
    void run();
    void work();
    template <class Action>
    void post(const Action& action);

    Paths m_paths;
    Priority m_priority;
    bool m_isRunning = false; ///< of the thread: the job ran when its reading began
    std::atomic<bool> m_cancelled{false};
    std::jthread m_thread;
};

/// Returns the filters of the file dialog: native traces, and one filter for each importer.
[[nodiscard]] QString fileFilters();

} // namespace ringside::gui
