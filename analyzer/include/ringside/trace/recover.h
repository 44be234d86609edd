// SPDX-License-Identifier: Apache-2.0
// Records that processes left in their rings when they died: finding them, keeping them safe, and putting
// them into the trace. Rings never leave their host alone: recovery runs there, or anywhere once
// copyLeftoverRings brought them into the run directory.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ringside::trace {

/// What one process left.
struct LeftoverRings {
    std::string process; ///< base name of its database: "HOST-PID"
    std::vector<std::filesystem::path>
        rings; ///< ring files; empty when their directories are not on this host
    /// Its database where that lies on its host and not in the run directory; empty: it does not.
    std::filesystem::path database;
    std::filesystem::path announcement; ///< HOST-PID.rings, empty when there is none
    bool running = false;               ///< its process is alive: its drain thread will write them
};

struct RecoverReport {
    struct Process {
        std::string name;
        std::int64_t records = 0;  ///< put into the trace
        std::int64_t dropped = 0;  ///< had found their ring full, as counted by the rings
        std::int64_t inFlight = 0; ///< calls that had not returned
    };
    std::vector<Process> processes;
    std::vector<std::string> skipped; ///< one sentence each: still running, rings of another host, unreadable
};

// A run directory may say anything: of what it names, only folders and files that the collector made for the
// owner of the run or this user are found, and never through links. What writes, writes into this user's own
// run directories only, and throws Error before anything happens elsewhere.

/// Rings named by HOST-PID.rings files (directories, one a line) or copied into rings/ below the run
/// directory.
std::vector<LeftoverRings> findLeftoverRings(const std::filesystem::path& runDirectory,
                                             const std::filesystem::path& ringDirectoryOverride = {});

/// What one process announced by its HOST-PID.rings, as far as it is on this host. Whether it runs is not
/// looked into.
LeftoverRings findAnnounced(const std::filesystem::path& announcement);

/// Why the process could not write its trace any more, such as "the disk is full"; empty: it did not say.
/// Null: it could to its end, as far as its rings tell.
std::optional<std::string> stopReason(const LeftoverRings& leftover);

/// Moves the rings of dead processes from this host into rings/ below the run directory, and their databases
/// into the run directory. Returns the number of files.
int copyLeftoverRings(const std::filesystem::path& runDirectory);

/// Adds what the rings of dead processes hold to their traces, and removes the rings. A record is never added
/// twice. The trace says how many records it got this way and what is still missing. `ringDirectoryOverride`:
/// look there, not where the announcements point. Throws Error when the directory cannot be read.
RecoverReport recover(const std::filesystem::path& runDirectory,
                      const std::filesystem::path& ringDirectoryOverride = {});

} // namespace ringside::trace
