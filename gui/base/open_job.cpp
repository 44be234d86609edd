// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/open_job.h"

#include "base/text.h"
#include "import/importer.h"
#include "import/open_run.h"
#include "live/still_runs.h"
#include "model/two_jobs.h"
#include "report/document.h"
#include "report/watched_report.h"

#include <ringside/error.h>
#include <ringside/trace/recover.h>

#include <QSettings>

#include <sys/resource.h>

#include <algorithm>

namespace ringside::gui {
namespace {

using namespace Qt::StringLiterals;

struct Cancelled {};

QString unusable()
{
    return u"The run cannot be opened"_s;
}

Failure failureOf(const Error& error)
{
    const bool newer = error.code == ErrorCode::Newer;
    return {newer ? u"This run was recorded by a newer Ringside"_s : unusable(), toQt(error.what()),
            toQt(error.hint)};
}

/// Explains a run without ranks: recording has not begun, has not ended, or lost its data. The state of the
/// rings beside the run decides which.
Failure nothingRecorded(const Paths& paths)
{
    std::vector<trace::LeftoverRings> rings;
    std::error_code ignored;
    if (std::filesystem::is_directory(paths.front(), ignored)) {
        rings = trace::findLeftoverRings(paths.front());
    }
    if (std::ranges::any_of(rings, &trace::LeftoverRings::running)) {
        return {u"This run has just begun"_s,
                u"Its processes run, but none has recorded a call of NCCL or CUDA yet."_s,
                u"It opens by itself as soon as one has."_s};
    }
    if (!rings.empty()) {
        return {
            u"This run is incomplete"_s,
            u"%1 processes died before their records were written to the run."_s.arg(rings.size()),
            u"Run `ringside recover %1` on their host, then try again."_s.arg(toQt(paths.front().string()))};
    }
    return {
        u"Nothing was recorded"_s, u"The run holds no rank."_s,
        u"Were the processes started by `ringside record -- COMMAND`, and did they use NCCL or CUDA? A job "
        u"that was killed may have left records in shared memory: run `ringside recover RUN` on its "
        u"host."_s};
}

/// The files of the first program, and the names of all.
Paths filesOfPrograms(const trace::RunTrace& run, std::vector<std::string>& names)
{
    Paths first;
    for (const model::Program& program : model::programsOf(run)) {
        for (const std::size_t process : names.empty() ? program.processes : std::vector<std::size_t>()) {
            first.push_back(run.processes[process].path);
        }
        names.push_back(program.name);
    }
    return first;
}

} // namespace

OpenJob::OpenJob(Paths paths, Priority priority, QObject* parent)
    : QObject(parent), m_paths(std::move(paths)), m_priority(priority)
{}

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

/// Calls `action` on the thread of this object unless the job was cancelled before.
template <class Action>
void OpenJob::post(const Action& action)
{
    QMetaObject::invokeMethod(
        this,
        [this, action] {
            if (!m_cancelled) {
                action();
            }
        },
        Qt::QueuedConnection);
}

void OpenJob::run()
{
    if (m_priority == Priority::Aside) {
        constexpr int kLowest = 19;
        setpriority(PRIO_PROCESS, 0, kLowest); // of this thread and of those that it starts
    }
    Failure failure;
    try {
        work();
        return;
    } catch (const Cancelled&) {
        return;
    } catch (const Error& error) {
        failure = failureOf(error);
    } catch (const std::bad_alloc&) {
        failure = {unusable(), u"There is not enough memory to open the run."_s,
                   u"Record fewer steps (--steps), or open it on a larger machine."_s};
    } catch (const std::exception& error) {
        failure = {unusable(), toQt(error.what()), {}};
    }
    failure.isRunning = m_isRunning;
    post([this, failure] { emit failed(failure); });
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
        post([this, text] { emit stageChanged(text); });
    };
    stage(u"Reading"_s);
    m_isRunning = m_paths.size() == 1 && live::stillRuns(m_paths.front()); // before: it may end meanwhile
    importers::Progress progress([&](const importers::ProgressState& state) {
        checkpoint();
        constexpr double kMegabyte = 1e6;
        const double done = static_cast<double>(state.done) / kMegabyte;
        const double total = static_cast<double>(state.total) / kMegabyte;
        post([this, done, total] { emit progressed(done, total); });
    });
    Session session{m_paths, nullptr, nullptr, nullptr, {}, m_paths, m_isRunning};
    trace::RunTrace run = importers::openRun(m_paths, progress);
    const Paths first = filesOfPrograms(run, session.programs);
    stage(u"Analyzing"_s);
    std::shared_ptr<report::Report> report;
    try {
        report = std::make_shared<report::Report>(report::buildReport(std::move(run), {}, {}, checkpoint));
    } catch (const Error&) {
        if (session.programs.size() < 2) {
            throw;
        }
        session.paths = first;
        report = std::make_shared<report::Report>(
            report::buildReport(importers::openRun(first, progress), {}, {}, checkpoint));
    }
    if (const double price = QSettings().value(kPriceSetting, 0).toDouble(); price > 0) {
        report->pricePerGpuHour = price;
    }
    session.report = report;
    if (session.report->model.ranks.empty()) {
        Failure failure = nothingRecorded(m_paths);
        failure.isRunning = m_isRunning;
        post([this, failure] { emit failed(failure); });
        return;
    }
    session.document = std::make_shared<const document::Document>(report::documentOf(*session.report));
    post([this, session] { emit sessionReady(session); });
    stage(u"Building the timeline"_s);
    session.timeline = std::make_shared<const timeline::Timeline>(
        timeline::buildTimeline(session.report->model, [this] { return m_cancelled.load(); }));
    post([this, session] { emit sessionReady(session); });
}

QString fileFilters()
{
    QStringList filters{u"All files (*)"_s, u"Ringside: one file of a run (*.db *.ringside)"_s};
    for (const importers::Importer* importer : importers::all()) {
        QString patterns = toQt(importer->files);
        patterns.remove(QLatin1Char(','));
        filters.append(toQt(importer->title) + u" ("_s + patterns + u")"_s);
    }
    return filters.join(u";;"_s);
}

} // namespace ringside::gui
