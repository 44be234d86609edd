// SPDX-License-Identifier: Apache-2.0
// Explains why a run hangs or hung: which collective waits, for which ranks, and what these do instead. The
// ranks of such a run differ in the calls that they made. Facts about living processes are passed in, so that
// tests can set their own time.
#pragma once
#include "model/model.h"
#include "trace/vocabulary/storage_use.h"
#include "values/number_runs.h"
#include "words/text.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ringside::hang {

/// The state of a process.
enum class Life : std::uint8_t {
    NotKnown, ///< did not close its trace; is on another host, or was not checked
    Running,
    Stopped,  ///< alive, but stopped by a signal (SIGSTOP) or a debugger
    Closed,   ///< ended and closed its trace, or ended with code 0, or called exec
    Failed,   ///< closed its trace and ended with another code than 0: an exception or a failed check
    Gone,     ///< ended otherwise: killed, crashed, or with another code than 0 and without closing its trace
    Replaced, ///< lives, but runs another program: it called execveat, or exec past the C library
};
[[nodiscard]] std::string_view lifeName(Life life);
/// Returns true for Gone and Failed.
[[nodiscard]] bool isDeath(Life life);
/// Describes a status as wait(2) gives it, for example "by SIGKILL" or "with code 1".
[[nodiscard]] std::string howEnded(int waitStatus);

/// Returns whether the trace is a window of another tool's recording: its end is not the end of the process.
[[nodiscard]] bool isWindow(const trace::ProcessTrace& process);

/// Returns whether the trace shows a normal end: it was closed and no code but 0 is known; or the process
/// ended with code 0 or called exec, as recorded or seen; or it is a dump of a flight recorder, and the
/// process ended later.
[[nodiscard]] bool endedNormally(const trace::ProcessTrace& process);

/// Facts about a process beyond its trace.
struct ProcessNow {
    Life life = Life::NotKnown;
    std::optional<std::int64_t> nowNs; ///< CLOCK_MONOTONIC of its host, if known
    bool callsKnown = false;  ///< its in-flight slots were read, so that a thread without a row is in no call
    std::string program = {}; ///< that it runs instead, if it was replaced
};

struct Options {
    /// A wait of this length is stuck. A shorter wait is stuck if the process's own watchdog reported it.
    std::int64_t stuckAfterNs = 10'000'000'000;
};

/// The arguments that must be equal for two calls to be the same collective.
struct Signature {
    std::string function;
    std::optional<std::uint64_t> count; ///< elements; null if only the bytes are known
    std::optional<std::uint64_t> bytes;
    std::optional<std::int64_t> datatype; ///< ncclDataType_t; null if not known, as before the call returns
    std::optional<std::int64_t> reduction;
    std::optional<std::int64_t> root;
    std::uint64_t calls = 1; ///< calls of a batch that has one number; `count` and `bytes` are their sums
};
/// Returns the first difference between two calls ("function", "number of calls in its batch", "count",
/// "number of bytes", "data type", "reduction", "root"). Returns an empty string if no difference is known.
[[nodiscard]] std::string differenceOf(const Signature& a, const Signature& b);

struct ThreadReport {
    std::int64_t tid = 0;
    std::string name;
    std::string function;   ///< the call that it is in; empty if in no intercepted call, or not known
    std::string lastCall;   ///< the last call that returned; empty if there is none
    std::int64_t forNs = 0; ///< time in the call, or since the last one returned
};

struct ReturnedCall {
    std::string function;
    std::optional<std::int64_t> sequence; ///< of a collective: its number among all calls of its communicator
    std::int64_t beforeNs = 0;            ///< time since it returned
};

/// A process that is busy with storage, or waits for it, without a longer pause.
struct StorageActivity {
    trace::StorageUse use; ///< of the last seconds
    std::int64_t forNs = 0;
};

struct RankReport {
    std::int64_t rank = 0;
    std::string host;
    std::int64_t pid = 0;
    Life life = Life::NotKnown;
    bool callsKnown = false;
    std::optional<std::int64_t> lastStep; ///< the last finished step
    std::int64_t lastSignNs = 0;          ///< last sign of life, in run time
    /// When `ringside record` saw that it had ended, in run time. Null if it closed its trace, or if its end
    /// was not seen.
    std::optional<std::int64_t> goneNs;
    std::optional<int> waitStatus; ///< how it ended, as wait(2) gives it; null if not known
    /// Its threads that made calls: first those that issued the rank's collectives, and among them first
    /// those in a call, then the main thread.
    std::vector<ThreadReport> threads;
    std::vector<ReturnedCall> lastCalls; ///< of the first of these threads, the latest first
    /// CPUs that the threads which make its recorded calls used or waited for lately. Null: not sampled then.
    std::optional<double> cpuShare;
    std::optional<StorageActivity> storage; ///< null: none, or not sampled
    std::string program; ///< that the process runs instead of the recorded one; empty: the same, or not known
    std::int64_t openGroupCalls = 0; ///< calls in groups that it has not closed: NCCL has not launched them
    std::vector<std::string> stack;  ///< innermost lines of the most relevant thread; empty if none
    std::string stackThread;         ///< thread of `stack`
    std::vector<std::string> stackNotes; ///< why there is no stack, or no Python stack
    std::optional<trace::HangRow> hang;  ///< a hang that its watchdog noticed and that did not end
};

/// A rank that has issued a call.
struct Arrived {
    std::int64_t rank = 0;
    Signature call;
    std::int64_t forNs = 0;   ///< time since it issued the call
    bool inCall = false;      ///< it has not returned from the call
    std::int64_t startNs = 0; ///< when it issued the call, in run time
};

/// A collective in which ranks wait.
struct StuckCollective {
    std::uint64_t communicator = 0; ///< hash
    std::string name;
    std::int64_t size = 0;
    std::int64_t order = 0; ///< position in the communicator's order
    std::vector<Arrived> arrived;
    std::vector<std::int64_t> missing;
    std::vector<std::int64_t> different; ///< arrived ranks whose call differs from that of most ranks
    std::vector<std::int64_t> queued;    ///< arrived ranks whose GPU has not started it, while others have
    std::int64_t notRecorded = 0;        ///< number of members without a trace, or with an older one
    std::vector<std::int64_t> unknown;   ///< these members, as far as their ranks are known
    /// Of a message: the other side, where it is not known whether it issued its part, because its log is
    /// torn or missing. Nobody is named for it.
    std::vector<std::int64_t> lost;
    bool tied = false;         ///< calls differ, and as many ranks made the one as the other
    std::int64_t waitedNs = 0; ///< time since the last rank issued it
    /// Send and receive share NCCL's numbering with collectives, so that `order` counts the collectives.
    /// Dropped records would shift that count.
    bool ordersByPlace = false;
    bool pointToPoint = false; ///< it is one message; `order` counts those of this pair in this direction
    bool setup = false;        ///< it makes a communicator, of `size` ranks or from this one; it has no order
    std::optional<std::int64_t> torchNumber; ///< PyTorch's number of the collective, as its messages name it
    /// For each rank, the order of the last collective that its GPU is known to have finished. Null if there
    /// are no device records of it.
    std::vector<std::pair<std::int64_t, std::optional<std::int64_t>>> finishedOnGpu;
    /// When the first GPU ended it or a later one, run time. Kernels of a communicator that failed end too.
    std::optional<std::int64_t> endedOnGpuNs;

    [[nodiscard]] const Signature& call() const { return arrived[common].call; }
    std::size_t common = 0; ///< index into `arrived` of a rank whose call is that of most ranks
};

/// The ranks that wait for nobody, or only for each other, while the others wait for them.
struct Origin {
    std::vector<std::int64_t> ranks;
    bool circle = false; ///< they wait for each other
    std::vector<std::size_t>
        chain; ///< collectives by which it is found: from the farthest wait to the origin
    /// Of a circle by the order of two communicators: the ranks that wait in each call of the chain. Empty:
    /// the calls themselves tell.
    std::vector<std::vector<std::int64_t>> sides;
    std::size_t waiting = 0; ///< ranks that wait for it, directly or through others
};

/// How sure a verdict is.
enum class Confidence : std::uint8_t { Low, Medium, High };
[[nodiscard]] std::string_view confidenceName(Confidence confidence);

enum class Kind : std::uint8_t {
    Nothing,  ///< no rank is stuck
    Missing,  ///< ranks wait in a collective that others have not issued
    Mismatch, ///< ranks make different calls at the same position
    Waiting,  ///< all ranks issued the same calls, and do not continue
    Died,     ///< processes ended without closing their traces
};
[[nodiscard]] std::string_view kindName(Kind kind);

/// What a comparison of two views of a job came to.
enum class Agreement : std::uint8_t {
    Undecided, ///< the witness has nothing that speaks for or against it
    Agrees,
    Disagrees,
};
[[nodiscard]] std::string_view agreementName(Agreement agreement);

/// What somebody else says about the same job; see hang/witness.h.
struct Witness {
    std::string source;       ///< its name in JSON, such as "flight_recorder"
    std::string title;        ///< its name in sentences
    std::string notAvailable; ///< why it says nothing; empty: it does
    Kind kind = Kind::Nothing;
    bool open = false;                ///< it does not know for whom ranks wait, or whether any does
    words::Text summary;              ///< what it says, in one line
    std::vector<std::int64_t> blamed; ///< ranks that it says are missing, differ, or died first
    std::vector<std::int64_t> heard;  ///< ranks of which it has something
    std::vector<std::int64_t> silent; ///< ranks of this report of which it has nothing
    std::vector<std::string> details; ///< a line each
    Agreement agreement = Agreement::Undecided;
    std::string comparison; ///< how it compares with this report, as a sentence
};

struct Report {
    std::filesystem::path path;
    std::int64_t worldSize = 0;
    bool emulated = false;
    Kind kind = Kind::Nothing;
    bool open = false;                        ///< for whom ranks wait, or whether any does, is not known
    words::Text summary;                      ///< the verdict in one line
    std::vector<StuckCollective> collectives; ///< the one that the others wait for comes first
    std::vector<Origin> origins;              ///< the one of the verdict comes first
    Confidence confidence = Confidence::Medium;
    std::vector<words::Text> reasons; ///< what raises or lowers the confidence
    std::vector<RankReport> ranks;
    std::optional<std::int64_t> diedFirst; ///< rank; null if none died, or if the first is not known
    bool firstByWait = false;              ///< diedFirst is known only because the others waited for it
    std::vector<trace::IssueRow> issues;   ///< those that concern this report
    std::vector<Witness> witnesses;        ///< what others say of the same job
};

/// How the ranks work that the others wait for. A job that works is slow, and no alarm.
enum class Work : std::uint8_t {
    None,
    MayTurnInALoop, ///< they compute, or wait for storage which moves little: with patience it is no hang
    MovesData,      ///< at least one writes or reads so much data that it can only be slow
};
/// Of ranks that live and are in no call for long: they write a checkpoint, compile or evaluate.
[[nodiscard]] Work originWork(const Report& report);

/// Explains what a run waits for. `now` has one entry for each process of the run, in its order.
[[nodiscard]] Report analyze(trace::RunTrace run, const std::vector<ProcessNow>& now, const Options& options);
[[nodiscard]] Report analyze(const model::Model& model, const std::vector<ProcessNow>& now,
                             const Options& options);
/// The same of a run whose processes are known by their traces alone.
[[nodiscard]] Report analyzeRecorded(const model::Model& model);

/// Returns the collectives of a finished run in which ranks wait or disagree, also if the run ended well
/// nevertheless. The one that the others wait for comes first.
[[nodiscard]] std::vector<StuckCollective> stuckCollectives(const model::Model& model,
                                                            const Options& options);

[[nodiscard]] std::string formatText(const Report& report);
[[nodiscard]] std::string formatJson(const Report& report);

/// Returns the ranks that the others wait for in it: those that differ, else those that did not issue it,
/// else those whose GPU has not started it, else those of which nothing is known.
[[nodiscard]] const std::vector<std::int64_t>& blockersOf(const StuckCollective& stuck);

/// Returns the communicator's name, or its number if it has none.
[[nodiscard]] std::string communicatorName(const StuckCollective& stuck);

/// Returns for example "35 s", "4.2 s", "120 ms" or "2 min 5 s".
[[nodiscard]] std::string duration(std::int64_t ns);
/// Returns for example "rank 2", "ranks 0, 1 and 3" or "ranks 0 to 6 and 9".
using values::rankList;

} // namespace ringside::hang
