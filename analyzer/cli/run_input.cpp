// SPDX-License-Identifier: Apache-2.0
#include "cli/run_input.h"

#include "cli/config.h"
#include "cli/terminal.h"
#include "cli/text_file.h"
#include "import/open_run.h"
#include "output/messages.h"

#include <ringside/error.h>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>

namespace ringside::cli {
namespace {

/// A line that is overwritten, and erased at the end.
class ProgressLine final {
public:
    ProgressLine() = default;
    ~ProgressLine()
    {
        if (m_shown) {
            output::printMessage("\r\x1b[K");
        }
    }
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void show(const importers::ProgressState& state)
    {
        constexpr double kMegabyte = 1e6;
        m_shown = true;
        output::printMessage("\r\x1b[Kringside: reading, {:.0f} of {:.0f} MB{}",
                             static_cast<double>(state.done) / kMegabyte,
                             static_cast<double>(state.total) / kMegabyte, timeLeftText(state));
        std::fflush(stderr);
    }

private:
    /// At the mean speed so far; empty: it is too early to tell.
    [[nodiscard]] std::string timeLeftText(const importers::ProgressState& state) const
    {
        constexpr double kFirstTold = 1;
        const double passed = std::chrono::duration<double>(Clock::now() - m_begin).count();
        if (passed < kFirstTold || state.done == 0 || state.total < state.done) {
            return "";
        }
        const double left = static_cast<double>(state.total - state.done) / static_cast<double>(state.done);
        return fmt::format(", {:.0f} s left", std::ceil(passed * left));
    }

    using Clock = std::chrono::steady_clock;
    Clock::time_point m_begin = Clock::now();
    bool m_shown = false;
};

/// Throws ringside::Error (Usage) with the file.
std::vector<model::Switch> switchesIn(const std::filesystem::path& file)
{
    try {
        return model::parseSwitches(readText(file));
    } catch (const Error& error) {
        throw Error(ErrorCode::Usage, fmt::format("--topology {}: {}", file.string(), error.what()),
                    error.hint);
    }
}

} // namespace

void addRunOption(CLI::App& app, RunPaths& paths)
{
    app.add_option("RUN", paths,
                   "Run directory, process file or merged file; or files of another tool, or a directory of "
                   "them (all together are one run)")
        ->required();
}

model::ModelOptions ModelArguments::modelOptions() const
{
    model::ModelOptions options(stepsBy);
    options.parallel = parallel;
    options.communicationKernels = communicationKernels;
    if (!topology.empty()) {
        options.switches = switchesIn(topology);
    }
    if (!config.empty()) {
        const Config file = readConfig(config);
        options.parallel = parallel.isGiven() ? parallel : file.parallel;
        std::ranges::copy(file.communicationKernels, std::back_inserter(options.communicationKernels));
    }
    return options;
}

constexpr const char* kReading = "Interpretation of the run";

void addModelOptions(CLI::App& app, ModelArguments& arguments)
{
    app.add_option_function<std::string>(
           "--steps-by",
           [&arguments](const std::string& text) { arguments.stepsBy = model::parseStepsBy(text); },
           "Steps: NAME of NVTX ranges (a number may follow), period=N for N collectives, sends and "
           "receives of one rank, or none; range=NAME for ranges that are called so")
        ->type_name("NAME|range=NAME|period=N|none")
        ->group(kReading);
    app.add_option_function<std::string>(
           "--parallel",
           [&arguments](const std::string& text) { arguments.parallel = model::parseParallel(text); },
           "Parallel layout of the job if its groups do not show it, such as tp=8,pp=4, from tp, cp, ep, dp "
           "and pp; "
           "consecutive ranks differ in their tensor place first, then in context, replica and stage")
        ->type_name("SIZES")
        ->group(kReading);
    app.add_option_function<std::string>(
           "--communication-kernel",
           [&arguments](const std::string& name) {
               if (name.empty()) {
                   throw Error(ErrorCode::Usage, "an empty name would match every kernel",
                               "Write a part of the kernel's name, such as halo_exchange.");
               }
               arguments.communicationKernels.push_back(name);
           },
           "Count kernels whose names contain NAME (\"halo_exchange\", \"my_collectives::\"; any case) as "
           "communication, "
           "in addition to the known ones; repeatable")
        ->type_name("NAME")
        ->group(kReading)
        ->trigger_on_parse();
    app.add_option(
           "--topology", arguments.topology,
           "Switches of the cluster, as Slurm's topology.conf or `scontrol show topology` describes them: "
           "findings say if their ranks are behind one switch")
        ->type_name("FILE")
        ->group(kReading);
    app.add_option(
           "--config", arguments.config,
           "Settings file, such as ringside.toml: communication_kernels = [\"NAME\"]; a table "
           "parallel with the values of --parallel; and for reports a table for each rule with OPTION = "
           "NUMBER")
        ->type_name("FILE")
        ->group(kReading);
}

void withProgress(const std::function<void(importers::Progress&)>& read)
{
    ProgressLine line;
    importers::Progress::Show show;
    if (output::printsNotes() && obeysEscapes(STDERR_FILENO)) {
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
