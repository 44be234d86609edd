// SPDX-License-Identifier: Apache-2.0
#include "cli/run_input.h"

#include "cli/talk.h"
#include "cli/terminal.h"
#include "import/open_run.h"

#include <fmt/format.h>
#include <unistd.h>

namespace ringside::cli {
namespace {

/// One line that is written over; gone when this is.
class ProgressLine final {
public:
    ProgressLine() = default;
    ~ProgressLine()
    {
        if (m_shown) {
            talk("\r\x1b[K");
        }
    }
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void show(const importers::ProgressState& state)
    {
        constexpr double kMegabyte = 1e6;
        m_shown = true;
        talk("\r\x1b[Kringside: reading, {:.0f} of {:.0f} MB", static_cast<double>(state.done) / kMegabyte,
             static_cast<double>(state.total) / kMegabyte);
        std::fflush(stderr);
    }

private:
    bool m_shown = false;
};

} // namespace

void addRunOption(CLI::App& app, RunPaths& paths)
{
    app.add_option("RUN", paths,
                   "Run directory, process file or merged file; or files of another tool, or a directory of "
                   "such (all together are one run)")
        ->required();
}

void addStepsOption(CLI::App& app, model::StepsBy& stepsBy)
{
    app.add_option_function<std::string>(
           "--steps-by", [&stepsBy](const std::string& text) { stepsBy = model::parseStepsBy(text); },
           "What a step is: NAME of NVTX ranges (a number may follow), period=N for N collectives, sends and "
           "receives of one rank, or none")
        ->type_name("NAME|period=N|none");
}

void addParallelOption(CLI::App& app, model::ParallelSizes& parallel)
{
    app.add_option_function<std::string>(
           "--parallel", [&parallel](const std::string& text) { parallel = model::parseParallel(text); },
           "How the job is parallel, as tp=8,pp=4 of tp, cp, ep, dp and pp, where its groups do not show it; "
           "ranks count tensor places fastest, then context, replicas and stages")
        ->type_name("SIZES");
}

void withProgress(const std::function<void(importers::Progress&)>& read)
{
    ProgressLine line;
    importers::Progress::Show show;
    if (obeysEscapes(STDERR_FILENO)) {
        show = [&line](const importers::ProgressState& state) { line.show(state); };
    }
    importers::Progress progress(std::move(show));
    read(progress);
}

trace::RunTrace openRun(const RunPaths& paths)
{
    trace::RunTrace run;
    withProgress([&](importers::Progress& progress) { run = importers::openRun(paths, progress); });
    return run;
}

} // namespace ringside::cli
