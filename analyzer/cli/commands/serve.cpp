// SPDX-License-Identifier: Apache-2.0
// `ringside serve RUN`: the figures of a running job for a Prometheus that asks, or sent to a collector of
// OpenTelemetry, by a process of its own. Like `top` it reads the small files in the run directory and asks
// nothing of the job.
#include "cli/command.h"
#include "cli/otlp_sender.h"
#include "host/monotonic.h"
#include "http/metrics_server.h"
#include "live/metrics.h"
#include "live/snapshot.h"
#include "output/messages.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

namespace ringside::cli::command_serve {
namespace {

constexpr std::int64_t kNsASecond = 1'000'000'000;

struct Options {
    std::string run;
    std::string listen; ///< empty: kListen, unless figures are sent
    std::string otlp;   ///< address of a collector; empty: none
};
constexpr const char* kListen = "127.0.0.1:9464";

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

/// Sends the figures every ten seconds. What fails is said once, and again after it worked.
class Push final {
public:
    explicit Push(const std::string& address) : m_sender(otlpAddress(address)), m_address(address) {}

    void send(const WatchedRun& watched)
    {
        constexpr std::int64_t kPeriodNs = 10 * kNsASecond;
        const std::int64_t now = host::monotonicNs();
        if (!watched.runs() || now < m_nextNs) {
            return;
        }
        m_nextNs = now + kPeriodNs;
        const auto failure = m_sender.send(live::formatOtlp(watched.view()));
        if (failure && !m_fails) {
            output::printMessage(
                "ringside: warning: {} did not take the figures: {}; they are sent again in 10 s\n",
                m_address, *failure);
        } else if (!failure && m_fails) {
            output::printNote("ringside: {} takes the figures again\n", m_address);
        }
        m_fails = failure.has_value();
    }

private:
    OtlpSender m_sender;
    std::string m_address;
    std::int64_t m_nextNs = 0;
    bool m_fails = false;
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
    WatchedRun watched(options.run);
    std::unique_ptr<Push> push;
    if (!options.otlp.empty()) {
        push = std::make_unique<Push>(options.otlp);
    }
    std::unique_ptr<http::MetricsServer> server;
    if (push == nullptr || !options.listen.empty()) {
        server = startServer(options.listen.empty() ? kListen : options.listen, options.run, watched);
    }
    watched.look();
    if (!watched.runs()) {
        output::printNote("ringside: no job runs in {} yet: waiting for one\n", options.run);
    }
    while (!watched.isOver()) {
        watched.look();
        if (push != nullptr) {
            push->send(watched);
        }
        if (server != nullptr) {
            server->run(kLook);
        } else {
            std::this_thread::sleep_for(kLook);
        }
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
    app.add_option("--otlp", options->otlp,
                   "Send the figures to this collector of OpenTelemetry every 10 s (OTLP over HTTP, JSON) "
                   "instead; with "
                   "--listen, too. Headers: OTEL_EXPORTER_OTLP_HEADERS")
        ->type_name("URL");
    return [options] { return run(*options); };
}

constexpr std::array<Example, 3> kExamples{{
    {"ringside serve run.ringside", "Figures of the job at http://127.0.0.1:9464/metrics, until it is over."},
    {"ringside serve run.ringside --listen 10.0.0.7:9464", "The same for a Prometheus on another machine."},
    {"ringside serve run.ringside --otlp http://collector:4318",
     "Sends them to a collector of OpenTelemetry."},
}};

} // namespace

RINGSIDE_COMMAND(serve, .summary = "Give figures of a running job to Prometheus or OpenTelemetry",
                 .group = Group::Understand, .examples = kExamples, .declare = declare);

} // namespace ringside::cli::command_serve
