// SPDX-License-Identifier: Apache-2.0
#include "cli/run_control.h"

#include "trace/read/system_error.h"
#include "trace/vocabulary/level.h"

#include <ringside/error.h>
#include <ringside/trace/control.h>
#include <ringside/trace/recover.h>

#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <thread>

namespace ringside::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kAnswerWithin =
    5s; ///< processes check four times a second; a network file system may be slower
constexpr auto kLookEvery = 20ms;

std::int64_t realtimeNs()
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

/// Only one controller may act at a time: two would use the same request number.
class OnlyController final {
public:
    explicit OnlyController(const fs::path& run) : m_directory(open(run.c_str(), O_RDONLY | O_CLOEXEC))
    {
        if (m_directory < 0) {
            throw trace::systemError("cannot open " + run.string(), errno);
        }
        if (flock(m_directory, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
            close(m_directory);
            throw Error(ErrorCode::Io, fmt::format("another command is controlling {}", run.string()),
                        "Try again in a moment.");
        }
    }
    ~OnlyController() { close(m_directory); }
    OnlyController(const OnlyController&) = delete;
    OnlyController& operator=(const OnlyController&) = delete;

private:
    int m_directory;
};

using Statuses = std::map<std::string, trace::ControlStatus>; ///< by process

class ControlSession final {
public:
    explicit ControlSession(const fs::path& run) : m_run(run), m_only(run)
    {
        if (const auto last = trace::readControl(control())) {
            m_request = *last;
        }
    }

    /// Writes a request for all processes. Processes that come later are not waited for. Returns the number
    /// of the request.
    std::uint64_t post(trace::ControlVerb verb,
                       const std::optional<trace::ControlOrder>& order = std::nullopt)
    {
        m_asked = present();
        m_request.verb = verb;
        m_request.issuedRealtimeNs = realtimeNs();
        // Keeps numbers unique also if the file was removed meanwhile.
        m_request.number = std::max(m_request.number + 1, static_cast<std::uint64_t>(realtimeNs()));
        if (order) {
            m_request.order = order;
            m_request.order->number = m_request.number;
        }
        if (!trace::writeControl(control(), m_request)) {
            throw trace::systemError("cannot write " + control().string(), errno);
        }
        return m_request.number;
    }

    /// Waits until `isDone` holds for every process that still runs, at most `patience`. Returns their latest
    /// statuses.
    template <class IsDone>
    Statuses waitFor(const IsDone& isDone, Clock::duration patience)
    {
        const auto until = Clock::now() + patience;
        for (;;) {
            Statuses answers = readStatuses();
            const bool all = std::all_of(answers.begin(), answers.end(),
                                         [&](const auto& entry) { return isDone(entry.second); });
            if (all || Clock::now() >= until) {
                return answers;
            }
            std::this_thread::sleep_for(kLookEvery);
        }
    }

private:
    [[nodiscard]] fs::path control() const { return m_run / trace::kControlFile; }

    /// Returns every process that announced itself and, as far as can be seen, still runs.
    [[nodiscard]] std::set<std::string> present() const
    {
        std::set<std::string> processes;
        for (const trace::LeftoverRings& process : trace::findLeftoverRings(m_run)) {
            const bool elsewhere = process.rings.empty();
            if (!process.announcement.empty() && (process.running || elsewhere)) {
                processes.insert(process.process);
            }
        }
        return processes;
    }

    [[nodiscard]] Statuses readStatuses() const
    {
        Statuses answers;
        for (const std::string& process : present()) {
            if (m_asked.contains(process)) {
                answers[process] = trace::readStatus(m_run / (process + trace::kStatusExtension))
                                       .value_or(trace::ControlStatus{});
            }
        }
        return answers;
    }

    fs::path m_run;
    OnlyController m_only;
    trace::ControlRequest m_request;
    std::set<std::string> m_asked;
};

std::string levelOf(const std::vector<std::string>& words)
{
    if (words.size() == 1 && words[0] == "start") {
        return "profile";
    }
    if (words.size() == 1 && words[0] == "stop") {
        return "paused";
    }
    if (words.size() == 2 && words[0] == "level" &&
        std::ranges::find(trace::kLevels, words[1], &trace::WordEntry::text) != trace::kLevels.end()) {
        return words[1];
    }
    throw Error(ErrorCode::Usage, "--attach-control needs one of: start, stop, level LEVEL, dump",
                "LEVEL is paused, light, standard or deep.");
}

/// The positions of all processes, and the time that the slowest one took to answer.
struct StatusReplies {
    std::uint64_t number = 0;
    Statuses answers;
    Clock::duration slowest{};
};

StatusReplies requestStatusesOnce(ControlSession& session)
{
    StatusReplies replies;
    const auto begin = Clock::now();
    replies.number = session.post(trace::ControlVerb::Ask);
    replies.answers = session.waitFor(
        [&replies](const auto& status) { return status.number == replies.number; }, kAnswerWithin);
    replies.slowest = Clock::now() - begin;
    return replies;
}

/// In its first step, a process does not know yet how long a step takes; a second later it does.
StatusReplies requestStatuses(ControlSession& session)
{
    StatusReplies replies = requestStatusesOnce(session);
    const bool early = std::any_of(replies.answers.begin(), replies.answers.end(), [](const auto& entry) {
        return entry.second.steps > 0 && entry.second.stepNs == 0;
    });
    if (early) {
        constexpr auto kStepsAreMeasured = 1500ms;
        std::this_thread::sleep_for(kStepsAreMeasured);
        replies = requestStatusesOnce(session);
    }
    return replies;
}

/// The common step at which to switch: twice the time that the slowest process takes to answer, counted in
/// the steps of the fastest process.
struct SwitchPoint {
    std::uint64_t step = 0; ///< 0: no process has counted steps
    Clock::duration ahead{};
    std::int64_t slowestStepNs = 0;
};

SwitchPoint planSwitch(const Statuses& answers, Clock::duration slowestAnswer)
{
    SwitchPoint switchPoint;
    switchPoint.ahead = std::max<Clock::duration>(1s, 2 * slowestAnswer);
    const auto aheadNs = std::chrono::duration_cast<std::chrono::nanoseconds>(switchPoint.ahead).count();
    std::uint64_t furthest = 0;
    std::int64_t fastestNs = 0;
    for (const auto& [process, status] : answers) {
        furthest = std::max(furthest, status.steps);
        switchPoint.slowestStepNs = std::max(switchPoint.slowestStepNs, status.stepNs);
        if (status.stepNs > 0 && (fastestNs == 0 || status.stepNs < fastestNs)) {
            fastestNs = status.stepNs;
        }
    }
    if (furthest > 0) {
        constexpr std::int64_t kUnknown = 1'000'000; // no rank does a thousand steps a second
        const std::int64_t steps = aheadNs / (fastestNs > 0 ? fastestNs : kUnknown);
        switchPoint.step = furthest + static_cast<std::uint64_t>(steps) + 2;
    }
    return switchPoint;
}

void removeSilent(Statuses& answers, std::uint64_t number)
{
    std::erase_if(answers, [number](const auto& entry) {
        const bool silent = entry.second.number != number;
        if (silent) {
            fmt::print("{}: did not answer\n", entry.first);
        }
        return silent;
    });
}

/// Prints one line for a process that obeys. Returns true if it does so from `step` on (0: by time).
bool printObedient(const std::string& process, const trace::ControlStatus& status, std::uint64_t step)
{
    const bool late = step != 0 && status.sinceStep > step;
    fmt::print("{}: {}{}{}\n", process, status.level,
               status.sinceStep != 0 ? fmt::format(" since step {}", status.sinceStep) : "",
               late ? fmt::format(", too late for step {}", step) : "");
    return !late;
}

/// Prints one line for each process. Returns true if all of them obey from the same step on.
bool printReplies(const Statuses& replies, const Statuses& answers, std::uint64_t number, std::uint64_t step)
{
    bool all = true;
    std::set<std::uint64_t> since;
    for (const auto& [process, before] : replies) {
        const auto found = answers.find(process);
        if (found == answers.end()) {
            fmt::print("{}: ended before it answered\n", process);
        } else if (found->second.inForce != number) {
            fmt::print("{}: has not switched: it is at step {}\n", process, found->second.steps);
            all = false;
        } else {
            all = printObedient(process, found->second, step) && all;
            since.insert(found->second.sinceStep);
        }
    }
    if (step == 0 && since.size() > 1) {
        fmt::print("new steps began meanwhile, and not all processes switched at the same step. Run the "
                   "command again\n");
    }
    return all && (step != 0 || since.size() <= 1);
}

[[noreturn]] void failForNobody(const fs::path& run)
{
    throw Error(ErrorCode::Unusable, fmt::format("no process that records into {} answered", run.string()),
                "Is the job still running? Is this its run directory?");
}

int dump(ControlSession& session, const fs::path& run)
{
    const std::uint64_t number = session.post(trace::ControlVerb::Dump);
    constexpr auto kWritten = 60s; // a flight recorder is small, but the file system may be slow
    const Statuses answers = session.waitFor(
        [number](const auto& status) { return status.number == number && !status.dump.empty(); }, kWritten);
    if (answers.empty()) {
        failForNobody(run);
    }
    bool all = true;
    for (const auto& [process, status] : answers) {
        const bool written = status.number == number && status.dump == process + ".db";
        all = all && written;
        fmt::print("{}: {}\n", process,
                   status.number != number ? "did not answer"
                   : status.dump.empty()   ? "is still writing"
                                           : status.dump);
    }
    return all ? kPass : kInconclusive;
}

int switchLevel(ControlSession& session, const fs::path& run, const std::string& level)
{
    auto [replies, processes, slowest] = requestStatuses(session);
    const std::size_t known = processes.size();
    const SwitchPoint switchPoint = planSwitch(processes, slowest);
    removeSilent(processes, replies);
    if (processes.empty()) {
        failForNobody(run);
    }
    const auto aheadNs = std::chrono::duration_cast<std::chrono::nanoseconds>(switchPoint.ahead).count();
    const std::uint64_t number = session.post(
        trace::ControlVerb::Level, trace::ControlOrder{0, level, switchPoint.step, realtimeNs() + aheadNs});
    const std::string when = switchPoint.step != 0
                                 ? fmt::format("from step {} on", switchPoint.step)
                                 : fmt::format("in {:.1f} s", static_cast<double>(aheadNs) / 1e9);
    fmt::print("{} {}, {} process{}\n", level == "profile" ? "the profile's level" : level, when,
               processes.size(), processes.size() == 1 ? "" : "es");
    std::fflush(stdout);
    // Steps may become slower before the switch.
    const auto patience =
        2 * switchPoint.ahead + kAnswerWithin + 4 * std::chrono::nanoseconds(switchPoint.slowestStepNs);
    const Statuses answers =
        session.waitFor([number](const auto& status) { return status.inForce == number; }, patience);
    const bool all = printReplies(processes, answers, number, switchPoint.step);
    return all && processes.size() == known ? kPass : kInconclusive;
}

} // namespace

int controlRun(const fs::path& run, const std::vector<std::string>& words)
{
    const bool isDump = words.size() == 1 && words[0] == "dump";
    const std::string level = isDump ? "" : levelOf(words);
    ControlSession session(run);
    return isDump ? dump(session, run) : switchLevel(session, run, level);
}

} // namespace ringside::cli
