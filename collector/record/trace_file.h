// SPDX-License-Identifier: Apache-2.0
// The database of this process: where it lies, how large and how old it may get, and what becomes of it.
//
// As a rule it is RUN/HOST-PID.db. Where the run directory is on a network file system (which has no shared
// memory for SQLite's write-ahead log, and slows the drain down), it lies on a disk of this host and is moved
// when it is closed. As a flight recorder it lies in memory (/dev/shm), holds the last so many seconds, and
// nothing comes into the run directory unless it is dumped or the process fails; a clean end removes it. A
// local one lies in a directory that HOST-PID.rings names, as the rings do, so that recovery finds it. All of
// the drain thread, but requestDump().
#pragma once
#include "record/options.h"
#include "record/ring_store.h"

#include <ringside/trace/writer.h>

#include <memory>
#include <optional>
#include <string>

namespace ringside::collector {

/// Asks for a dump of the flight recorder at the drain thread's next pass; nothing where there is none.
/// `reason` is kept as a pointer: a literal. Any thread may call it.
void requestDump(const char* reason);

class TraceFile final {
public:
    TraceFile(const ProcessNames& names, const Options& options, RingStore& store);

    /// Makes the database and opens it. Throws ringside::Error.
    void open();
    [[nodiscard]] trace::Writer& writer() { return *m_writer; }
    [[nodiscard]] const std::string& path() const { return m_path; }
    [[nodiscard]] bool isFlightRecorder() const { return m_keepNs != 0; }

    /// After each pass: drops what is too old, and writes down what the size limit has done. A flight
    /// recorder keeps its seconds before `quietSinceNs` (since when the program has issued no collective;
    /// null: it is not quiet), and all since: what led to a hang is not to be gone when the hang is noticed.
    void keep(std::optional<std::int64_t> quietSinceNs);
    /// The reason of a dump that was asked for, once; null: none was.
    [[nodiscard]] const char* takeDumpRequest();
    /// A consistent copy as RUN/HOST-PID.db, in place of an earlier one; calls in flight stand in it. Returns
    /// what became of it, in words.
    std::string dump(const char* reason, const std::vector<trace::InFlightRow>& inFlight);
    /// Closes it for good: moved where it is local, or removed where it is a flight recorder and `exitCode`
    /// is 0: another one is a crash.
    void close(int exitCode);

private:
    [[nodiscard]] std::string choosePath();
    void tellFull();
    void tellCompleteFrom(std::int64_t ns);
    void copyTo(const std::string& fresh, const char* reason,
                const std::vector<trace::InFlightRow>& inFlight);
    void tellEndInDump();
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
    // What the trace says already.
    bool m_toldFull = false;
    std::int64_t m_toldRefused = 0;
    std::int64_t m_toldDeleted = 0;
};

} // namespace ringside::collector
