// SPDX-License-Identifier: Apache-2.0
// The database of this process: its place, its size and age limits, and what happens to it at the end.
//
// Usually it is RUN/HOST-PID.db. If the run directory is on a network file system (which has no shared
// memory for SQLite's write-ahead log, and is slow), it is on a disk of this host and is moved when it
// is closed. A flight recorder's database is in memory (/dev/shm) and holds the last seconds. It is
// written to the run directory only by a dump or if the process fails; a clean end removes it.
// HOST-PID.rings names the directory of a local database, as of rings, so that recovery finds it. Only
// the drain thread may use this, except requestDump().
#pragma once
#include "record/options.h"
#include "record/ring_store.h"

#include <ringside/trace/writer.h>

#include <memory>
#include <optional>
#include <string>

namespace ringside::collector {

/// Requests a dump of the flight recorder at the drain thread's next pass. Does nothing if there is
/// none. `reason` must be a literal: the pointer is kept. Any thread may call it.
void requestDump(const char* reason);

class TraceFile final {
public:
    TraceFile(const ProcessNames& names, const Options& options, RingStore& store);

    /// Creates the database and opens it. Throws ringside::Error.
    void open();
    [[nodiscard]] trace::Writer& writer() { return *m_writer; }
    [[nodiscard]] const std::string& path() const { return m_path; }
    [[nodiscard]] bool isFlightRecorder() const { return m_keepNs != 0; }

    /// Call it before rows are written. Lets the trace grow no further where it would take the reserve of its
    /// disk (host/disk_room.h).
    void keepReserve();
    /// Call it after each pass. Deletes what is too old, and records what the size limit did.
    /// `quietSinceNs`: since when the program has issued no collective; null: it issues them. A flight
    /// recorder keeps its seconds before that time and everything after it, so that what led to a hang
    /// is still there when the hang is detected.
    void keep(std::optional<std::int64_t> quietSinceNs);
    /// Returns the reason of a requested dump, once. Null: none was requested.
    [[nodiscard]] const char* takeDumpRequest();
    /// Writes a consistent copy as RUN/HOST-PID.db, which replaces an earlier one and includes calls in
    /// flight. Returns the result as text.
    std::string dump(const char* reason, const std::vector<trace::InFlightRow>& inFlight);
    /// Closes the database. A local one is moved to the run directory. A flight recorder's is removed if
    /// `exitCode` is 0; another exit code counts as a crash.
    void close(int exitCode);

private:
    [[nodiscard]] std::string choosePath();
    [[nodiscard]] std::string folder() const; ///< of the database
    void limitByDisk();
    void tellFull();
    void tellCompleteFrom(std::int64_t ns);
    void copyTo(const std::string& fresh, const char* reason,
                const std::vector<trace::InFlightRow>& inFlight);
    void recordEndInDump();
    void move();
    void moveWithLog();
    void giveItsName(const std::string& fresh) const;

    const ProcessNames& m_names;
    RingStore& m_store;
    std::string m_path; ///< empty until it is opened
    std::unique_ptr<trace::Writer> m_writer;
    trace::SizeLimit m_limit;
    std::int64_t m_keepNs;
    std::int64_t m_nextDropNs = 0;
    std::optional<std::int64_t> m_completeFromNs;
    std::int64_t m_dumpedNs = 0; ///< when the last dump was made; 0: none was
    // What has been written into the trace already.
    bool m_limitedByDisk = false; ///< the limit is what the disk has room for
    bool m_reserveReached = false;
    bool m_reportedFull = false;
    std::int64_t m_reportedRefused = 0;
    std::int64_t m_reportedDeleted = 0;
};

} // namespace ringside::collector
