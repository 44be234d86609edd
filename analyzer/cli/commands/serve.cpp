// SPDX-License-Identifier: Apache-2.0
// `ringside serve RUN`: the figures of a running job for a Prometheus that asks, by a process of its own.
// Like `top` it reads the small files in the run directory and asks nothing of the job.
#include "cli/command.h"
#include "host/monotonic.h"
#include "http/metrics_server.h"
#include "live/metrics.h"
#include "live/snapshot.h"
#include "live/still_runs.h"
#include "output/messages.h"
#include "trace/read/run_files.h"
#include "trace/shell_word.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

namespace ringside::cli::command_serve {
namespace {

constexpr std::int64_t kNsASecond = 1'000'000'000;

struct Options {
    std::string run;
    std::string listen = "127.0.0.1:9464"; ///< which only this machine reaches
};

/// The job of a run directory, read at most once a second, however often somebody asks.
class WatchedRun final {
public:
    explicit WatchedRun(std::filesystem::path directory) : m_directory(std::move(directory)) {}

    void look()
    {
        const std::int64_t now = host::monotonicNs();
        if (m_lookedNs != 0 && now - m_lookedNs < kNsASecond) {
            return;
        }
        m_lookedNs = now;
        const live::RunNow run = live::readRun(m_directory);
        if (!run.hosts.empty()) {
            m_begun = true;
            m_seenNs = now;
        }
        m_view = live::viewOf(run);
        m_runs = !run.hosts.empty();
    }

    /// Throws Error (Unusable) if nothing runs and nothing is going to.
    void checkBegins(std::int64_t startedNs) const
    {
        constexpr std::int64_t kPatienceNs = 60 * kNsASecond;
        if (m_begun) {
            return;
        }
        if (!trace::databasesIn(m_directory).empty() && !live::stillRuns(m_directory)) {
            throw Error(ErrorCode::Unusable, m_directory.string() + " does not run any more",
                        "For what was recorded: ringside report " + trace::shellWord(m_directory.string()));
        }
        if (m_lookedNs - startedNs >= kPatienceNs) {
            throw Error(ErrorCode::Unusable,
                        fmt::format("no job has run in {} for a minute", m_directory.string()),
                        "Name the run directory of a job that `ringside record` runs now, or begins within a "
                        "minute.");
        }
    }

    [[nodiscard]] const live::JobView& view() const { return m_view; }
    [[nodiscard]] bool runs() const { return m_runs; }

    /// Whether it ran and does not run any more. A job that restarts says nothing for a while.
    [[nodiscard]] bool isOver() const
    {
        constexpr std::int64_t kRestartNs = 60 * kNsASecond;
        return m_begun && m_lookedNs - m_seenNs >= kRestartNs;
    }

private:
    std::filesystem::path m_directory;
    live::JobView m_view;
    std::int64_t m_lookedNs = 0;
    std::int64_t m_seenNs = 0;
    bool m_begun = false;
    bool m_runs = false;
};

/// Listens where `text` says, and tells the user.
std::unique_ptr<http::MetricsServer> startServer(const std::string& text, const std::string& run,
                                                 WatchedRun& watched)
{
    const http::Endpoint endpoint = http::parseEndpoint(text);
    auto server = std::make_unique<http::MetricsServer>(endpoint, [&watched] {
        watched.look();
        return live::formatPrometheus(watched.view());
    });
    const bool isV6 = endpoint.address.find(':') != std::string::npos;
    output::printNote("ringside: the figures of {} are at http://{}{}{}:{}/metrics\n", run, isV6 ? "[" : "",
                      endpoint.address, isV6 ? "]" : "", server->port());
    if (!endpoint.isLoopback) {
        output::printMessage("ringside: warning: whoever reaches {} can read them: there is no password\n",
                             endpoint.address);
    }
    return server;
}

int run(const Options& options)
{
    constexpr std::chrono::seconds kLook(1);
    const std::int64_t startedNs = host::monotonicNs();
    WatchedRun watched(options.run);
    watched.look();
    watched.checkBegins(startedNs);
    const auto server = startServer(options.listen, options.run, watched);
    if (!watched.runs()) {
        output::printNote("ringside: no job runs in {} yet: waiting a minute for one\n", options.run);
    }
    while (!watched.isOver()) {
        watched.look();
        watched.checkBegins(startedNs);
        server->run(kLook);
    }
    output::printNote("ringside: {} is over\n", options.run);
    return kPass;
}

Action declare(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    app.add_option("RUN", options->run, "Run directory of a job that runs, or is about to")
        ->type_name("RUN")
        ->required();
    app.add_option("--listen", options->listen,
                   "IP address and port to listen on, port 0 for any; default 127.0.0.1:9464, which only "
                   "this machine "
                   "reaches")
        ->type_name("ENDPOINT");
    return [options] { return run(*options); };
}

constexpr std::array<Example, 2> kExamples{{
    {"ringside serve run.ringside", "Figures of the job at http://127.0.0.1:9464/metrics, until it is over."},
    {"ringside serve run.ringside --listen 10.0.0.7:9464", "The same for a Prometheus on another machine."},
}};

} // namespace

RINGSIDE_COMMAND(serve, .summary = "Give figures of a running job to Prometheus", .group = Group::Understand,
                 .examples = kExamples, .declare = declare);

} // namespace ringside::cli::command_serve
