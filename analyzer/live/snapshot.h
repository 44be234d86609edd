// SPDX-License-Identifier: Apache-2.0
// What a running job says of itself: the files HOST.live.json of its run directory
// (ringside-live-1.schema.json). Whoever can write into the directory can put anything there: every value is
// checked, and what is not as it should be is left out.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::live {

/// A process or host that has said nothing for so long counts as silent.
inline constexpr std::int64_t kSilentMs = 10'000;

/// A step, or a stretch of a second where nothing marks steps, of one device or of a process whose device was
/// not measured. Times in ns but for `endMs`, milliseconds since 1970. Null: not measured.
struct Step {
    std::int64_t id = 0; ///< counts up in its process
    std::optional<std::int64_t> number;
    bool isMarked = false; ///< false: a stretch of time
    std::optional<std::int64_t> device;
    std::int64_t endMs = 0;
    std::int64_t stepNs = 0; ///< on the host
    std::optional<std::int64_t> deviceStepNs;
    std::optional<std::int64_t> computeNs;
    std::optional<std::int64_t> communicationNs;
    std::optional<std::int64_t> exposedCommunicationNs;
    std::optional<std::int64_t> exposedCopyNs;
    std::optional<std::int64_t> idleNs;
    std::optional<std::int64_t> ncclNs; ///< in NCCL's kernels, by NCCL's own timers on the GPU
    std::int64_t launches = 0;
    std::int64_t collectives = 0;
    std::int64_t blockingNs = 0;
    std::int64_t loadingNs = 0;
};

struct Rank {
    std::int64_t rank = 0;
    std::optional<std::int64_t> worldSize;
    std::optional<std::int64_t> device;
};

struct Communicator {
    std::string hash; ///< the same on all its ranks
    std::optional<std::int64_t> rank;
    std::optional<std::int64_t> size;
    std::optional<std::int64_t> sequence; ///< of the latest call; null: none
    std::optional<std::int64_t> issuedMs;
};

/// That a thread is in.
struct Call {
    std::string api;
    std::string communicator; ///< hash; empty: none
    std::optional<std::int64_t> sequence;
    std::int64_t sinceMs = 0;
};

struct Hang {
    std::int64_t sinceMs = 0;
    std::string reason;
};

/// The latest value of a series, and the first since the recording began.
struct Sample {
    std::string source;
    std::string entity;
    std::string metric;
    std::int64_t value = 0;
    std::int64_t first = 0;
    std::int64_t atMs = 0;
    std::int64_t firstAtMs = 0; ///< 0: not told, by an older version
};

struct Process {
    std::string name; ///< HOST-PID
    std::int64_t pid = 0;
    std::int64_t atMs = 0; ///< when it said this
    std::string level;
    bool emulated = false;
    std::optional<std::int64_t> steps; ///< begun; null: nothing marks them
    std::vector<Rank> ranks;
    std::optional<Hang> hang;
    std::vector<Call> calls;
    std::vector<Communicator> communicators;
    std::vector<Step> recentSteps; ///< by id
    std::vector<Sample> samples;
};

struct Alarm {
    std::string kind; ///< as written; trace::AlarmKind has the words of this version
    std::string message;
    std::int64_t atMs = 0;
    std::optional<std::int64_t> rank;
    std::string subject; ///< which thing, where there may be several
};

struct Snapshot {
    std::string host;
    std::int64_t writtenMs = 0;
    std::int64_t processesLeftOut = 0;
    std::vector<Alarm> alarms;
    std::vector<Process> processes;
};

/// Null: not a snapshot, or of another version.
[[nodiscard]] std::optional<Snapshot> parseSnapshot(std::string_view text);

struct RunNow {
    std::filesystem::path path;
    std::int64_t readMs = 0; ///< when it was read, by the clock of this machine
    std::vector<Snapshot> hosts;
    std::vector<std::string> unreadable; ///< file names
};

/// Reads the snapshots of a run directory. Without any, `hosts` is empty.
[[nodiscard]] RunNow readRun(const std::filesystem::path& runDirectory);

/// Milliseconds since 1970, by the clock of this machine.
[[nodiscard]] std::int64_t nowMs();

} // namespace ringside::live
