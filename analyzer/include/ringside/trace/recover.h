// SPDX-License-Identifier: Apache-2.0
// Records that ended processes left in their rings: finds them, keeps them safe, and adds them to the trace.
// Rings stay on their host unless copyLeftoverRings copies them. Recovery runs on that host, or anywhere once
// they are in the run directory.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ringside::trace {

/// What one process left behind.
struct LeftoverRings {
    std::string process;                      ///< base name of its database: "HOST-PID"
    std::vector<std::filesystem::path> rings; ///< ring files; empty if their directories are not on this host
    /// Its database, if that is on its host and not in the run directory; empty otherwise.
    std::filesystem::path database;
    std::filesystem::path announcement; ///< HOST-PID.rings; empty if there is none
    bool running = false;               ///< the process is alive, and its drain thread will write the records
};

struct RecoverReport {
    struct Process {
        std::string name;
        std::int64_t records = 0;  ///< added to the trace
        std::int64_t dropped = 0;  ///< lost because the ring was full, as counted by the rings
        std::int64_t inFlight = 0; ///< calls that had not returned
    };
    std::vector<Process> processes;
    /// One sentence for each process: still running, rings on another host, unreadable
    std::vector<std::string> skipped;
};

// The contents of a run directory are not trusted. Folders and files that it names are used only if the
// collector created them for the owner of the run or for this user, and links are never followed. Functions
// that write do so only in run directories of this user, and throw Error before they change anything
// elsewhere.

/// Finds rings that HOST-PID.rings files name (one directory per line) and rings that were copied into rings/
/// in the run directory.
std::vector<LeftoverRings> findLeftoverRings(const std::filesystem::path& runDirectory,
                                             const std::filesystem::path& ringDirectoryOverride = {});

/// Returns what one process announced in its HOST-PID.rings, as far as it is on this host. Does not examine
/// whether the process runs.
LeftoverRings findAnnounced(const std::filesystem::path& announcement);

/// Returns why the process could no longer write its trace, such as "the disk is full"; empty if it gave no
/// reason. Returns null if, according to its rings, it could write until its end.
std::optional<std::string> stopReason(const LeftoverRings& leftover);

/// Moves the rings of ended processes of this host into rings/ in the run directory, and their databases into
/// the run directory. Returns the number of files.
int copyLeftoverRings(const std::filesystem::path& runDirectory);

/// Adds the records in the rings of ended processes to their traces, and removes the rings. No record is
/// added twice. The trace states how many records were added this way and what is still missing.
/// `ringDirectoryOverride` replaces the directories of the announcements. Throws Error if the directory
/// cannot be read.
RecoverReport recover(const std::filesystem::path& runDirectory,
                      const std::filesystem::path& ringDirectoryOverride = {});

} // namespace ringside::trace
