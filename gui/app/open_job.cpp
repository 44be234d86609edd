// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/open_job.h"

#include "app/text.h"
#include "import/open_run.h"
#include "report/watched_report.h"

#include <ringside/error.h>

namespace ringside::gui {
namespace {

struct Cancelled {};

Failure failureOf(const Error& error)
{
    const auto kind = error.code == ErrorCode::Newer ? Failure::Kind::Newer : Failure::Kind::Unusable;
    return {kind, toQt(error.what()), toQt(error.hint)};
}

Failure nothingRecorded()
{
    return {
        Failure::Kind::Empty, QStringLiteral("The run holds no rank: nothing was recorded in it."),
        QStringLiteral("Were the processes started by `ringside record -- COMMAND`, and did they use NCCL "
                       "or CUDA? A job that was killed may have left its records elsewhere: `ringside "
                       "recover RUN` on its host brings them back.")};
}

} // namespace

OpenJob::OpenJob(Paths paths, QObject* parent) : QObject(parent), m_paths(std::move(paths)) {}

OpenJob::~OpenJob()
{
    cancel();
}

void OpenJob::start()
{
    m_thread = std::jthread([this] { run(); });
}

void OpenJob::cancel()
{
    m_cancelled = true;
}

/// Calls `what` on the thread of this object, unless it was cancelled by then.
template <class Tell>
void OpenJob::tell(const Tell& what)
{
    QMetaObject::invokeMethod(
        this,
        [this, what] {
            if (!m_cancelled) {
                what();
            }
        },
        Qt::QueuedConnection);
}

void OpenJob::run()
{
    Failure failure;
    try {
        work();
        return;
    } catch (const Cancelled&) {
        return;
    } catch (const Error& error) {
        failure = failureOf(error);
    } catch (const std::bad_alloc&) {
        failure = {Failure::Kind::Unusable, QStringLiteral("There is not enough memory to open the run."),
                   QStringLiteral("Record fewer steps (--steps), or open it on a larger machine.")};
    } catch (const std::exception& error) {
        failure = {Failure::Kind::Unusable, toQt(error.what()), {}};
    }
    tell([this, failure] { emit failed(failure); });
}

void OpenJob::work()
{
    const auto checkpoint = [this] {
        if (m_cancelled) {
            throw Cancelled();
        }
    };
    const auto stage = [&](const QString& text) {
        checkpoint();
        tell([this, text] { emit stageChanged(text); });
    };
    stage(QStringLiteral("Reading"));
    importers::Progress progress([&](const importers::ProgressState& state) {
        checkpoint();
        constexpr double kMegabyte = 1e6;
        const double done = static_cast<double>(state.done) / kMegabyte;
        const double total = static_cast<double>(state.total) / kMegabyte;
        tell([this, done, total] { emit progressed(done, total); });
    });
    trace::RunTrace run = importers::openRun(m_paths, progress);
    stage(QStringLiteral("Analyzing"));
    Session session{
        m_paths, std::make_shared<const report::Report>(report::buildReport(std::move(run), {}, checkpoint)),
        nullptr};
    if (session.report->model.ranks.empty()) {
        tell([this] { emit failed(nothingRecorded()); });
        return;
    }
    tell([this, session] { emit sessionReady(session); });
    stage(QStringLiteral("Building the timeline"));
    session.timeline = std::make_shared<const timeline::Timeline>(
        timeline::buildTimeline(session.report->model, [this] { return m_cancelled.load(); }));
    tell([this, session] { emit sessionReady(session); });
}

} // namespace ringside::gui
