// SPDX-License-Identifier: Apache-2.0
// Why a run does not go on, or did not: which collective waits, for whom, and what these do instead. Works on
// ranks that differ in what they called: that is the point. Pure: what is known of living processes comes in,
// so that tests bring their own time.
#pragma once
#include "model/model.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ringside::hang {

enum class Life : std::uint8_t {
    NotKnown, ///< did not close its trace; of another host, or nobody looked
    Running,
    Stopped, ///< alive, but held by a signal (SIGSTOP) or a debugger
    Closed,  ///< ended and closed its trace, or ended with code 0, or became another program
    Failed,  ///< closed its trace and ended with another code than 0: an exception, a failed check
    Gone,    ///< ended otherwise: killed, crashed, or with another code and without closing its trace
};
[[nodiscard]] std::string_view lifeName(Life life);
/// Gone or failed.
[[nodiscard]] bool isDeath(Life life);
/// "by SIGKILL", "with code 1"
[[nodiscard]] std::string howEnded(int waitStatus);

/// Whether it is a stretch of another tool's recording, whose end is the window's and not the process's.
[[nodiscard]] bool isWindow(const trace::ProcessTrace& process);

/// Whether its trace says so: it was closed and no code but 0 told; or the process ended with code 0 or
/// became another program, as it said or was seen; or it is a flight recorder's dump and the process ended
/// later.
[[nodiscard]] bool endedNormally(const trace::ProcessTrace& process);

/// What is known of a process beyond its trace.
struct ProcessNow {
    Life life = Life::NotKnown;
    std::optional<std::int64_t> nowNs; ///< CLOCK_MONOTONIC of its host, where that is known
    bool callsKnown = false; ///< its in-flight slots were read: a thread without a row is in no call
};

struct Options {
    /// What has waited for so long is stuck. Shorter waits are stuck when the process's own watchdog says so.
    std::int64_t stuckAfterNs = 10'000'000'000;
};

/// What makes two calls the same collective.
struct Signature {
    std::string function;
    std::optional<std::uint64_t> count; ///< elements; null: only the bytes are known
    std::optional<std::uint64_t> bytes;
    std::optional<std::int64_t> datatype; ///< ncclDataType_t; null: not known of a call that has not returned
    std::optional<std::int64_t> reduction;
    std::optional<std::int64_t> root;
};
/// What two calls differ in ("function", "count", "number of bytes", "data type", "reduction", "root");
/// empty: nothing known.
[[nodiscard]] std::string differenceOf(const Signature& a, const Signature& b);

struct ThreadReport {
    std::int64_t tid = 0;
    std::string name;
    std::string function;   ///< it is in; empty: in no intercepted call, or not known
    std::string lastCall;   ///< that it returned from; empty: none
    std::int64_t forNs = 0; ///< in the call, or since the last one
};

struct ReturnedCall {
    std::string function;
    std::optional<std::int64_t> sequence; ///< of a collective, among all calls of its communicator
    std::int64_t beforeNs = 0;            ///< it returned so long ago
};

struct RankReport {
    std::int64_t rank = 0;
    std::string host;
    std::int64_t pid = 0;
    Life life = Life::NotKnown;
    bool callsKnown = false;
    std::optional<std::int64_t> lastStep; ///< that it finished
    std::int64_t lastSignNs = 0;          ///< of life, in run time
    /// When `ringside record` saw that it was gone, in run time; null: it closed its trace, or nobody saw.
    std::optional<std::int64_t> goneNs;
    std::optional<int> waitStatus;       ///< how it ended, as wait(2) gives it; null: nobody saw
    std::vector<ThreadReport> threads;   ///< those that issued its calls, in a call, main first
    std::vector<ReturnedCall> lastCalls; ///< of the first of these threads, the latest first
    std::vector<std::string> stack;      ///< innermost lines of the thread that matters; empty: none
    std::string stackThread;             ///< whose
    std::vector<std::string> stackNotes; ///< why there is none
    std::optional<trace::HangRow> hang;  ///< that its watchdog noticed and that did not end
};

struct Arrived {
    std::int64_t rank = 0;
    Signature call;
    std::int64_t forNs = 0;   ///< since it issued it
    bool inCall = false;      ///< has not returned from it
    std::int64_t startNs = 0; ///< when it issued it, in run time
};

/// A collective that somebody waits in.
struct StuckCollective {
    std::uint64_t communicator = 0; ///< hash
    std::string name;
    std::int64_t size = 0;
    std::int64_t order = 0; ///< place in the communicator's order
    std::vector<Arrived> arrived;
    std::vector<std::int64_t> missing;
    std::vector<std::int64_t> different; ///< of those arrived, who calls something else than most
    std::int64_t notRecorded = 0;        ///< members of whom there is no trace
    std::int64_t waitedNs = 0;           ///< since the last one issued it
    bool ordersByPlace =
        false;                 ///< send and receive share the numbering: the order is a count, drops shift it
    bool pointToPoint = false; ///< one message: `order` counts those of this pair in this direction
    /// Of each rank, the last collective that its GPU is known to have finished; null: no device records of
    /// it.
    std::vector<std::pair<std::int64_t, std::optional<std::int64_t>>> finishedOnGpu;

    [[nodiscard]] const Signature& call() const { return arrived[common].call; }
    std::size_t common = 0; ///< of arrived: one that calls what most call
};

enum class Kind : std::uint8_t {
    Nothing,  ///< stuck
    Missing,  ///< ranks wait in a collective that others have not issued
    Mismatch, ///< ranks call different collectives at the same place
    Waiting,  ///< all issued the same, and do not go on
    Died,     ///< processes ended without closing their traces
};
[[nodiscard]] std::string_view kindName(Kind kind);

struct Report {
    std::filesystem::path path;
    std::int64_t worldSize = 0;
    bool emulated = false;
    Kind kind = Kind::Nothing;
    std::string summary;                      ///< the verdict, one line
    std::vector<StuckCollective> collectives; ///< the one that the others wait for comes first
    std::vector<RankReport> ranks;
    std::optional<std::int64_t> diedFirst; ///< rank; null: nobody died, or which was first is not known
    std::vector<trace::IssueRow> issues;   ///< that concern what is said here
};

/// `now` has one entry a process of the run.
[[nodiscard]] Report analyze(trace::RunTrace run, const std::vector<ProcessNow>& now, const Options& options);

/// Only the collectives that somebody waits in, or that ranks disagree on, of a run that is over; also where
/// it ended well all the same. The one that the others wait for comes first.
[[nodiscard]] std::vector<StuckCollective> stuckCollectives(const model::Model& model,
                                                            const Options& options);

[[nodiscard]] std::string formatText(const Report& report);
[[nodiscard]] std::string formatJson(const Report& report);

/// "35 s", "4.2 s", "120 ms", "2 min 5 s".
[[nodiscard]] std::string duration(std::int64_t ns);
/// "rank 2", "ranks 0, 1 and 3", "ranks 0 to 6 and 9".
[[nodiscard]] std::string rankList(std::vector<std::int64_t> ranks);

} // namespace ringside::hang
