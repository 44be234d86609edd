// SPDX-License-Identifier: Apache-2.0
#include "hang/rank_report.h"

#include "hang/issued.h"
#include "hang/storage_activity.h"
#include "model/communicator_calls.h"

#include <ringside/trace/gone.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

namespace ringside::hang {
namespace {

struct LastCall {
    trace::StringId api = 0;
    std::int64_t endNs = 0;
};

/// Returns the call that returned last, for each thread (ThreadRow::id).
std::map<std::int64_t, LastCall> lastCalls(const trace::ProcessTrace& process)
{
    std::map<std::int64_t, LastCall> last;
    const auto note = [&last](std::int64_t thread, trace::StringId api, std::int64_t endNs) {
        const auto [entry, fresh] = last.try_emplace(thread, LastCall{api, endNs});
        if (!fresh && endNs >= entry->second.endNs) {
            entry->second = {api, endNs};
        }
    };
    const auto& calls = process.apiCalls;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        note(calls.thread[i], calls.api[i], calls.endNs[i]);
    }
    for (const trace::CollectiveCallRow& call : process.collectiveCalls) {
        note(call.thread, call.api, call.endNs);
    }
    return last;
}

/// The calls of one thread that returned last, the latest first.
class LastCalls final {
public:
    explicit LastCalls(std::int64_t thread) : m_thread(thread) {}

    void note(std::int64_t thread, trace::StringId api, std::int64_t endNs,
              std::optional<std::int64_t> sequence = std::nullopt)
    {
        constexpr std::size_t kMost = 8;
        if (thread != m_thread || (m_calls.size() == kMost && endNs < m_calls.back().endNs)) {
            return;
        }
        const auto place = std::find_if(m_calls.begin(), m_calls.end(),
                                        [endNs](const Call& call) { return call.endNs <= endNs; });
        m_calls.insert(place, {api, endNs, sequence});
        m_calls.resize(std::min(m_calls.size(), kMost));
    }
    [[nodiscard]] std::vector<ReturnedCall> inWords(const trace::ProcessTrace& process,
                                                    std::int64_t untilNs) const
    {
        std::vector<ReturnedCall> calls;
        for (const Call& call : m_calls) {
            calls.push_back({std::string(process.text(call.api)), call.sequence, untilNs - call.endNs});
        }
        return calls;
    }

private:
    struct Call {
        trace::StringId api = 0;
        std::int64_t endNs = 0;
        std::optional<std::int64_t> sequence;
    };
    std::int64_t m_thread;
    std::vector<Call> m_calls;
};

std::vector<ReturnedCall> lastCallsOf(const trace::ProcessTrace& process, std::int64_t tid,
                                      std::int64_t untilNs)
{
    const auto thread = std::find_if(process.threads.begin(), process.threads.end(),
                                     [tid](const trace::ThreadRow& row) { return row.tid == tid; });
    LastCalls last(thread != process.threads.end() ? thread->id : 0);
    const auto& calls = process.apiCalls;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        last.note(calls.thread[i], calls.api[i], calls.endNs[i]);
    }
    for (const trace::CollectiveCallRow& call : process.collectiveCalls) {
        last.note(call.thread, call.api, call.endNs, call.sequence);
    }
    return last.inWords(process, untilNs);
}

/// Returns the operating system's ids of the threads that issued this rank's collectives. Empty if the
/// process belongs to this rank alone, because then any of its threads may matter.
std::set<std::int64_t> ownThreads(const model::Rank& rank, const trace::ProcessTrace& process)
{
    std::set<std::int64_t> own;
    if (!rank.device) {
        return own;
    }
    std::set<std::int64_t> communicators;
    for (const auto& [key, row] : model::communicatorsOf(rank, process)) {
        communicators.insert(row->id);
    }
    std::set<std::int64_t> threads;
    for (const trace::CollectiveCallRow& call : process.collectiveCalls) {
        if (communicators.contains(call.communicator)) {
            threads.insert(call.thread);
        }
    }
    for (const trace::ThreadRow& row : process.threads) {
        if (threads.contains(row.id)) {
            own.insert(row.tid);
        }
    }
    return own;
}

std::vector<ThreadReport> threadsOf(const trace::ProcessTrace& process, const std::set<std::int64_t>& own,
                                    std::int64_t untilNs)
{
    const auto last = lastCalls(process);
    const auto inFlight = lastInFlight(process);
    std::vector<ThreadReport> threads;
    for (const trace::ThreadRow& row : process.threads) {
        ThreadReport thread;
        thread.tid = row.tid;
        thread.name = row.name;
        if (const auto returned = last.find(row.id); returned != last.end()) {
            thread.lastCall = process.text(returned->second.api);
            thread.forNs = untilNs - returned->second.endNs;
        }
        for (const trace::InFlightRow& call : inFlight) {
            if (call.thread == row.id) {
                thread.function = process.text(call.api);
                thread.forNs = untilNs - call.startNs;
            }
        }
        if (!thread.function.empty() || !thread.lastCall.empty()) {
            threads.push_back(std::move(thread));
        }
    }
    std::stable_sort(threads.begin(), threads.end(), [&](const ThreadReport& a, const ThreadReport& b) {
        const auto rankOf = [&](const ThreadReport& thread) {
            const bool main = thread.tid == process.process.pid;
            const bool foreign = !own.empty() && !own.contains(thread.tid);
            return std::make_tuple(foreign, thread.function.empty(), !main);
        };
        return rankOf(a) < rankOf(b);
    });
    return threads;
}

/// Returns by how much a counter of the process rose in a nanosecond, in the last seconds before `untilNs`.
std::optional<double> rateOf(const trace::ProcessTrace& process, std::string_view metric,
                             std::int64_t untilNs)
{
    constexpr std::int64_t kLatestNs = 5'000'000'000; // an older sample tells nothing of the present
    constexpr std::int64_t kSpanNs = 3'000'000'000;
    const auto series = std::ranges::find_if(process.series, [&](const trace::SeriesRow& row) {
        return row.source == "process" && row.metric.text() == metric;
    });
    if (series == process.series.end()) {
        return std::nullopt;
    }
    const trace::SampleColumns& samples = process.samples;
    std::optional<std::size_t> last;
    for (std::size_t i = samples.size(); i-- > 0;) {
        if (samples.series[i] != static_cast<std::uint32_t>(series->id)) {
            continue;
        }
        last = last ? last : i;
        const std::int64_t spanNs = samples.timeNs[*last] - samples.timeNs[i];
        if (untilNs - samples.timeNs[*last] > kLatestNs) {
            return std::nullopt;
        }
        if (spanNs >= kSpanNs) {
            return static_cast<double>(samples.value[*last] - samples.value[i]) / static_cast<double>(spanNs);
        }
    }
    return std::nullopt;
}

/// On a busy host, a thread that computes waits for a CPU most of the time.
std::optional<double> cpuShareOf(const trace::ProcessTrace& process, std::int64_t untilNs)
{
    const auto used = rateOf(process, "cpu_ns", untilNs);
    return used ? std::optional(*used + rateOf(process, "run_delay_ns", untilNs).value_or(0)) : std::nullopt;
}

bool isPython(std::string_view command)
{
    std::string_view program = command.substr(0, command.find(' '));
    program.remove_prefix(program.rfind('/') + 1);
    return program.starts_with("python");
}

/// Explains why there is no stack, or no Python stack of a Python program.
void addNotes(RankReport& report, const trace::ProcessTrace& process, std::int64_t takenNs)
{
    for (const trace::StackRow& row : process.stacks) {
        const bool wanted =
            row.takenNs == takenNs && row.source == "note" && (report.stack.empty() || row.tid == 0);
        // Many threads may have the same note.
        if (wanted && std::ranges::find(report.stackNotes, row.text) == report.stackNotes.end()) {
            report.stackNotes.push_back(row.text);
        }
    }
}

/// Adds the innermost lines of one thread's latest stack: its Python lines if there are any.
void addStack(RankReport& report, const trace::ProcessTrace& process, const std::set<std::int64_t>& own)
{
    constexpr std::size_t kLines = 6;
    if (process.stacks.empty()) {
        return;
    }
    const std::int64_t takenNs = process.stacks.back().takenNs;
    std::vector<std::int64_t> wanted{process.process.pid};
    if (!report.threads.empty() &&
        (!report.threads.front().function.empty() || own.contains(report.threads.front().tid))) {
        wanted.insert(wanted.begin(), report.threads.front().tid);
    }
    for (const trace::StackSource& source : std::array<trace::StackSource, 2>{"python", "native"}) {
        for (const std::int64_t tid : wanted) {
            for (const trace::StackRow& row : process.stacks) {
                if (row.takenNs == takenNs && row.source == source && row.tid == tid &&
                    report.stack.size() < kLines) {
                    report.stackThread = row.thread;
                    report.stack.push_back(row.text);
                }
            }
            if (!report.stack.empty()) {
                if (source == "native" && isPython(process.process.command)) {
                    addNotes(report, process, takenNs);
                }
                return;
            }
        }
    }
    addNotes(report, process, takenNs);
}

/// Returns when the process was seen to have ended. Returns null if that was not seen, or if the time lies
/// before the last sign of life, as it then comes from another clock or is damaged.
std::optional<trace::SeenEnd> plausibleEnd(const trace::ProcessTrace& process)
{
    constexpr std::int64_t kTicksErrorNs =
        1'000'000; // error of call times, which are computed from clock readings
    const auto end = trace::seenEnd(process);
    return end && end->goneNs + kTicksErrorNs >= lastSignOfLife(process) ? end : std::nullopt;
}

bool hasIssue(const trace::ProcessTrace& process, trace::Issue issue)
{
    return std::ranges::any_of(process.issues, [issue](const trace::IssueRow& row) { return row.is(issue); });
}

/// Returns the status as wait(2) gives it, or null if it is not known. A status that was seen is preferred to
/// the exit code that the process recorded, because the process may have crashed while exiting.
std::optional<int> knownStatus(const trace::ProcessTrace& process)
{
    if (const auto seen = plausibleEnd(process); seen && seen->waitStatus) {
        return seen->waitStatus;
    }
    const auto told = trace::ownEnd(process);
    return told && !told->becameAnother ? std::optional(told->exitCode << 8) : std::nullopt;
}

/// Returns whether a process that closed its trace recorded a failure.
bool failed(const trace::ProcessTrace& process)
{
    const auto told = trace::ownEnd(process);
    return told && !told->becameAnother && told->exitCode != 0;
}

} // namespace

bool isWindow(const trace::ProcessTrace& process)
{
    return process.process.endNs && process.process.collectorVersion.empty();
}

bool endedNormally(const trace::ProcessTrace& process)
{
    const auto told = trace::ownEnd(process);
    return (process.process.endNs && !isWindow(process) && !failed(process)) ||
           hasIssue(process, trace::Issue::EndedAfterDump) || (told && told->becameAnother) ||
           knownStatus(process) == 0;
}

// Recovery sets trace::Issue::ProcessKilled for a process that left its rings without a recorded end.
Life lifeInTrace(const trace::ProcessTrace& process)
{
    if (endedNormally(process)) {
        return Life::Closed;
    }
    if (process.process.endNs) {
        return isWindow(process) ? Life::NotKnown : Life::Failed;
    }
    if (knownStatus(process)) {
        return Life::Gone;
    }
    // A trace that could not be written any more also lacks its end, so that the missing end proves nothing.
    const bool left = hasIssue(process, trace::Issue::ProcessKilled) || trace::seenEnd(process);
    return left && !hasIssue(process, trace::Issue::RecordingStopped) ? Life::Gone : Life::NotKnown;
}

bool abortedCommunicator(const trace::ProcessTrace& process)
{
    return std::ranges::any_of(process.strings, [&](const auto& entry) {
        return entry.second == "ncclCommAbort" &&
               std::ranges::find(process.apiCalls.api, entry.first) != process.apiCalls.api.end();
    });
}

std::int64_t lastSignOfLife(const trace::ProcessTrace& process)
{
    std::int64_t last = std::max(process.process.startNs, process.process.endNs.value_or(0));
    if (!process.clockSamples.empty()) {
        last = std::max(last, process.clockSamples.back().monotonicNs);
    }
    for (const auto& [thread, call] : lastCalls(process)) {
        last = std::max(last, call.endNs);
    }
    for (const trace::InFlightRow& call : process.inFlight) {
        last = std::max(last, call.startNs);
    }
    for (const trace::HangRow& hang : process.hangs) {
        last = std::max({last, hang.noticedNs, hang.endedNs.value_or(0)});
    }
    return last;
}

std::int64_t countsUntil(const trace::ProcessTrace& process, const ProcessNow& now)
{
    const bool alive = now.life == Life::Running || now.life == Life::Stopped || now.life == Life::Replaced;
    return alive && now.nowNs ? *now.nowNs : lastSignOfLife(process);
}

std::optional<trace::HangRow> openHang(const trace::ProcessTrace& process)
{
    const bool open = !process.hangs.empty() && !process.hangs.back().endedNs && !endedNormally(process);
    return open ? std::optional(process.hangs.back()) : std::nullopt;
}

RankReport reportRank(const model::Model& model, std::size_t rank, const ProcessNow& now)
{
    const model::Rank& of = model.ranks[rank];
    const trace::ProcessTrace& process = model.processOf(of);
    RankReport report;
    report.rank = of.rank;
    report.host = process.process.host;
    report.pid = process.process.pid;
    report.life = now.life;
    report.program = now.program;
    // A process without an id comes from another tool, which does not record the calls in progress.
    report.callsKnown = now.callsKnown || (openHang(process) && process.process.pid != 0);
    const bool counted =
        of.stepSource == model::StepSource::Mark || of.stepSource == model::StepSource::Range;
    // Otherwise the numbers are Ringside's own, which users cannot relate to their steps.
    if (counted && !of.steps.empty()) {
        report.lastStep = of.steps.back().number;
    }
    report.lastSignNs = of.clock.toRun(lastSignOfLife(process));
    if (!endedNormally(process)) {
        const auto end = plausibleEnd(process);
        report.goneNs = end ? std::optional(of.clock.toRun(end->goneNs)) : std::nullopt;
        report.waitStatus = knownStatus(process);
    }
    const std::set<std::int64_t> own = ownThreads(of, process);
    report.threads = threadsOf(process, own, countsUntil(process, now));
    if (!report.threads.empty()) {
        report.lastCalls = lastCallsOf(process, report.threads.front().tid, countsUntil(process, now));
    }
    report.hang = openHang(process);
    report.cpuShare = cpuShareOf(process, countsUntil(process, now));
    report.storage = storageActivityOf(process, countsUntil(process, now));
    report.openGroupCalls = callsInOpenGroups(process);
    addStack(report, process, own);
    return report;
}

} // namespace ringside::hang
