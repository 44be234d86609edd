// SPDX-License-Identifier: Apache-2.0
#include "cli/live_watch.h"

#include "host/monotonic.h"
#include "host/process.h"
#include "live/alarm_log.h"
#include "live/metrics.h"
#include "output/messages.h"
#include "output/output_file.h"
#include "trace/write/small_file.h"

#include <ringside/trace/live_snapshot.h>

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string_view>

namespace ringside::cli {
namespace {

constexpr std::size_t kMostCommands = 8; ///< at a time; a command that hangs must not add up

std::string ownerName(const std::string& host)
{
    return host + "-" + std::to_string(getpid());
}

/// Not what records the job: the command is none of it.
std::vector<char*> environmentOfCommands()
{
    constexpr std::array<std::string_view, 4> kRecording{
        "LD_PRELOAD=", "NVTX_INJECTION64_PATH=", "NCCL_PROFILER_PLUGIN=", "RINGSIDE_"};
    std::vector<char*> kept;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view variable(*entry);
        if (std::none_of(kRecording.begin(), kRecording.end(),
                         [&](std::string_view name) { return variable.starts_with(name); })) {
            kept.push_back(*entry);
        }
    }
    kept.push_back(nullptr);
    return kept;
}

/// The parts of processes of this host that ended without removing them.
void removeLeftParts(const std::filesystem::path& run, const std::string& host)
{
    std::error_code error;
    for (std::filesystem::directory_iterator file(run, error), end; !error && file != end;
         file.increment(error)) {
        const std::string name = file->path().stem().string();
        const char* const digits = name.c_str() + host.size() + 1;
        if (file->path().extension() == trace::kLivePartExtension && name.starts_with(host + "-") &&
            kill(static_cast<pid_t>(std::strtol(digits, nullptr, 10)), 0) != 0 && errno == ESRCH) {
            unlink(file->path().c_str());
        }
    }
}

/// Private, as all files of a run; each line is written whole. False where it cannot be written, or where the
/// file would become longer than its readers read.
bool appendLine(const std::filesystem::path& file, const std::string& line)
{
    const int out = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (out < 0) {
        return false;
    }
    struct stat status {};
    const bool fits = fstat(out, &status) == 0 && S_ISREG(status.st_mode) &&
                      static_cast<std::size_t>(status.st_size) + line.size() <= live::kMostAlarmLogBytes;
    const bool written = fits && write(out, line.data(), line.size()) == static_cast<ssize_t>(line.size());
    close(out);
    return written;
}

} // namespace

LiveWatch::LiveWatch(std::filesystem::path run, LiveOptions options, std::function<void()> onHang)
    : m_run(std::move(run))
    , m_options(std::move(options))
    , m_onHang(std::move(onHang))
    , m_host(host::hostName())
    , m_hostLock(m_run / (m_host + trace::kLiveLockEnding), ownerName(m_host))
    , m_runLock(m_run / "alarms.lock", ownerName(m_host))
{}

LiveWatch::~LiveWatch()
{
    collectCommands();
    if (m_hostLock.take()) {
        removeLeftParts(m_run, m_host);
        static_cast<void>(trace::writeLiveSnapshot(m_run, m_host)); // without parts it goes, too
    }
    m_hostLock.release();
    m_runLock.release();
}

void LiveWatch::look()
{
    const std::int64_t now = host::monotonicNs();
    if (now < m_nextNs) {
        return;
    }
    m_nextNs = now + trace::kLivePeriodNs;
    try {
        lookNow();
    } catch (const std::exception& error) {
        if (!m_warned) {
            m_warned = true;
            output::printMessage("ringside: warning: the job is not watched as a whole: {}\n", error.what());
        }
    }
}

void LiveWatch::lookNow()
{
    collectCommands();
    if (m_hostLock.take()) {
        static_cast<void>(trace::writeLiveSnapshot(m_run, m_host, live::alarmsJson(m_alarms.inForce())));
    }
    if (!m_runLock.take()) {
        return;
    }
    const live::RunNow now = live::readRun(m_run);
    for (const live::AlarmChange& change : m_alarms.look(now)) {
        tell(change, now);
    }
    if (!m_options.metrics.empty() && !now.hosts.empty()) {
        writeMetrics(now);
    }
}

void LiveWatch::tell(const live::AlarmChange& change, const live::RunNow& now)
{
    output::printMessage("ringside: {}: {}\n", change.began ? "alarm" : "alarm over", change.message);
    const std::string line = live::alarmJson(change, now);
    if (!appendLine(m_run / live::kAlarmLog, line) && !m_logWarned) {
        m_logWarned = true;
        output::printMessage(
            "ringside: warning: alarms are no longer written to {}: it cannot be written, or has reached "
            "{} MiB\n",
            (m_run / live::kAlarmLog).string(), live::kMostAlarmLogBytes >> 20);
    }
    if (change.began && change.kind == trace::AlarmKind("hang")) {
        m_onHang();
    }
    if (!m_options.onAlarm.empty()) {
        startCommand(line);
    }
}

/// The command reads the alarm from its input and writes where `record` writes its messages. It is not waited
/// for. The alarm is shorter than a pipe is long, so that writing it never waits either.
void LiveWatch::startCommand(const std::string& alarm)
{
    int input[2];
    if (m_commands.size() >= kMostCommands || pipe2(input, O_CLOEXEC) != 0) {
        output::printMessage(
            "ringside: warning: the command for alarms was not started: too many still run\n");
        return;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    std::string shell = "/bin/sh";
    std::string option = "-c";
    std::string command = m_options.onAlarm;
    char* const words[] = {shell.data(), option.data(), command.data(), nullptr};
    pid_t child = 0;
    const int error =
        posix_spawn(&child, shell.c_str(), &actions, &attributes, words, environmentOfCommands().data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(input[0]);
    if (error == 0) {
        m_commands.push_back(child);
        [[maybe_unused]] const ssize_t written = write(input[1], alarm.data(), alarm.size());
    } else {
        output::printMessage("ringside: warning: cannot start the command for alarms: {}\n",
                             std::strerror(error));
    }
    close(input[1]);
}

void LiveWatch::collectCommands()
{
    std::erase_if(m_commands, [](pid_t child) { return waitpid(child, nullptr, WNOHANG) != 0; });
}

/// Replaced by a rename, so that the node exporter never reads half of it; for everybody to read, as it holds
/// figures only.
void LiveWatch::writeMetrics(const live::RunNow& now) const
{
    const std::string name = "ringside-" + m_run.filename().stem().string() + ".prom";
    output::OutputFile file(std::filesystem::path(m_options.metrics) / name, output::Existing::Replace,
                            output::OutputFile::kAsUmaskSays);
    file.write(live::formatPrometheus(live::viewOf(now)));
    file.close();
}

} // namespace ringside::cli
