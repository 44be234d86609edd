// SPDX-License-Identifier: Apache-2.0
#include "record/trace_file.h"

#include "host/disk_room.h"
#include "record/clock.h"
#include "record/levels.h"
#include "record/message.h"
#include "record/new_file.h"

#include <ringside/error.h>

#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace ringside::collector {
namespace {

std::atomic<const char*> g_dumpReason{nullptr};

std::string secondsOf(std::int64_t ns)
{
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f s", static_cast<double>(ns) / 1e9);
    return text.data();
}

/// Returns false, with errno, on failure.
bool copyAll(const std::string& path, int to)
{
    if (to < 0) {
        return false;
    }
    const int from = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    constexpr std::size_t kAtOnce = std::size_t{1} << 20;
    ssize_t copied = from >= 0 ? 1 : -1;
    while (copied > 0) {
        copied = sendfile(to, from, nullptr, kAtOnce);
    }
    const ErrnoKeeper keeper;
    if (from >= 0) {
        close(from);
    }
    return copied == 0;
}

/// A reader has the trace open while it is closed, so the write-ahead log stays beside it.
bool hasLog(const std::string& path)
{
    struct stat log {};
    return stat((path + "-wal").c_str(), &log) == 0 && log.st_size > 0;
}

} // namespace

void requestDump(const char* reason)
{
    g_dumpReason.store(reason);
    requestDrain();
}

TraceFile::TraceFile(const ProcessNames& names, const Options& options, RingStore& store)
    : m_names(names), m_store(store), m_limit(options.sizeLimit), m_keepNs(options.keepLastNs)
{
    constexpr std::int64_t kFlightRecorderBytes = std::int64_t{64} << 20;
    if (isFlightRecorder()) {
        m_limit.whenFull = trace::WhenFull::Oldest;
        m_limit.bytes = m_limit.bytes != 0 ? m_limit.bytes : kFlightRecorderBytes;
    }
}

std::string TraceFile::choosePath()
{
    std::string directory;
    if (isFlightRecorder()) {
        directory = m_store.shareOfMemory(static_cast<std::size_t>(m_limit.bytes));
    }
    if (isFlightRecorder() || m_store.isRunRemote()) {
        directory = directory.empty() ? m_store.directoryOnThisHost() : directory;
    }
    return (directory.empty() ? m_names.runDirectory : directory) + "/" + m_names.base + ".db";
}

void TraceFile::open()
{
    m_path = choosePath();
    if (isFlightRecorder() && m_path == m_names.database()) {
        throw Error(ErrorCode::Io,
                    "no room for the flight recorder in /dev/shm (a quarter of what is free) or on "
                    "a disk of this host");
    }
    m_writer = std::make_unique<trace::Writer>(m_path, trace::Writer::Mode::Create);
    limitByDisk();
    if (m_limit.bytes != 0) {
        m_writer->limitSize(m_limit);
    }
}

std::string TraceFile::folder() const
{
    return m_path.substr(0, m_path.rfind('/'));
}

// On a large disk it is enough to look at what is left (keepReserve). On a small one SQLite's log, which
// grows to 16 MiB, has to be small from the start.
void TraceFile::limitByDisk()
{
    constexpr std::int64_t kSmallDisk = std::int64_t{128} << 20;
    const auto room = host::diskRoom(folder());
    const auto bytes = room ? static_cast<std::int64_t>(room->forTrace()) : kSmallDisk;
    if (bytes < kSmallDisk && (m_limit.bytes == 0 || bytes < m_limit.bytes)) {
        m_limit.bytes = std::max(bytes, std::int64_t{1});
        m_limitedByDisk = true;
    }
}

void TraceFile::keepReserve()
{
    if (m_reserveReached) {
        return;
    }
    const auto room = host::diskRoom(folder());
    if (room && room->forTrace() == 0) {
        m_reserveReached = true; // what is in the database now is all that it will have
        std::error_code unreadable;
        const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(m_path, unreadable));
        m_writer->limitSize({std::max(unreadable ? 0 : bytes, std::int64_t{1}), m_limit.whenFull});
    }
}

void TraceFile::keep(std::optional<std::int64_t> quietSinceNs)
{
    constexpr std::int64_t kShare = 8; // what is kept too long, of what is to be kept
    const std::int64_t now = readClockNs(CLOCK_MONOTONIC);
    if (isFlightRecorder() && now >= m_nextDropNs) {
        if (m_nextDropNs != 0) {
            m_writer->dropBefore(quietSinceNs.value_or(now) - m_keepNs);
        }
        m_nextDropNs = now + m_keepNs / kShare;
    }
    if (m_writer->isFull() && !m_reportedFull) {
        tellFull();
    }
    if (const auto from = m_writer->completeFromNs(); from != m_completeFromNs) {
        tellCompleteFrom(*from);
    }
    if (const std::int64_t refused = m_writer->refusedRows(); refused != m_reportedRefused) {
        m_reportedRefused = refused;
        m_writer->setDropped({"rows beyond the size limit", 0, refused, 0});
    }
}

void TraceFile::tellFull()
{
    m_reportedFull = true;
    pauseForGood();
    const std::string why =
        m_limitedByDisk || m_reserveReached
            ? "the disk of " + folder() + " is nearly full, and the rest is left to the job"
            : m_path + " has reached its size limit";
    m_writer->add(trace::IssueRow{trace::Issue::TraceFull, 1,
                                  why + ", " + secondsOf(readClockNs(CLOCK_MONOTONIC) - startedNs()) +
                                      " after the start: what came later is not recorded"});
    say(Talk::Always, "%s: only definitions are recorded from now on", why.c_str());
}

void TraceFile::tellCompleteFrom(std::int64_t ns)
{
    if (ns <= startedNs()) {
        return; // nothing was that old
    }
    const char* why =
        isFlightRecorder() ? "the flight recorder keeps no more" : "deleted to stay within the size limit";
    m_writer->pauseWindowsBefore(ns, why);
    const std::int64_t deleted = m_writer->deletedRows();
    m_writer->add(trace::IssueRow{
        trace::Issue::OldestDeleted, deleted - std::exchange(m_reportedDeleted, deleted),
        "everything is there from " + secondsOf(ns - startedNs()) + " after the start on; " + why});
    m_completeFromNs = ns;
}

const char* TraceFile::takeDumpRequest()
{
    return g_dumpReason.load() != nullptr ? g_dumpReason.exchange(nullptr) : nullptr;
}

std::string TraceFile::dump(const char* reason, const std::vector<trace::InFlightRow>& inFlight)
{
    if (!isFlightRecorder()) {
        return "not a flight recorder: it writes its trace all the time";
    }
    const std::string fresh = m_names.database() + ".tmp";
    try {
        copyTo(fresh, reason, inFlight);
        m_dumpedNs = readClockNs(CLOCK_MONOTONIC);
    } catch (const Error& error) {
        unlink(fresh.c_str());
        say(Talk::Always, "the flight recorder could not be dumped: %s", error.what());
        return std::string("failed: ") + error.what();
    }
    return m_names.base + ".db";
}

void TraceFile::copyTo(const std::string& fresh, const char* reason,
                       const std::vector<trace::InFlightRow>& inFlight)
{
    m_writer->copyTo(fresh);
    trace::Writer copy(fresh, trace::Writer::Mode::Append);
    for (const trace::InFlightRow& call : inFlight) {
        copy.add(call);
    }
    copy.add(trace::IssueRow{trace::Issue::DumpedWhileRunning, 1,
                             std::string("the flight recorder was dumped while the process ran: ") + reason});
    copy.close();
    giveItsName(fresh);
}

void TraceFile::close(int exitCode)
{
    m_writer->close();
    m_writer.reset();
    if (isFlightRecorder() && exitCode == 0) {
        recordEndInDump();
        unlink(m_path.c_str());
        say(Talk::IfAsked, m_dumpedNs != 0 ? "the flight recorder was dumped while the process ran"
                                           : "the flight recorder was not asked for what it holds");
    } else if (m_path != m_names.database()) {
        move();
    }
}

// Otherwise the calls in flight at the dump would look like those at the end.
void TraceFile::recordEndInDump()
try {
    if (m_dumpedNs != 0 && access(m_names.database().c_str(), W_OK) == 0) {
        trace::Writer dump(m_names.database(), trace::Writer::Mode::Append);
        dump.add(trace::IssueRow{trace::Issue::EndedAfterDump, 1,
                                 "the process went on for " +
                                     secondsOf(readClockNs(CLOCK_MONOTONIC) - m_dumpedNs) +
                                     " after this dump and ended normally"});
        dump.close();
    }
} catch (const Error& error) {
    say(Talk::IfAsked, "the dump does not say that the process ended: %s", error.what());
}

void TraceFile::move()
{
    if (hasLog(m_path)) {
        moveWithLog();
        return;
    }
    const NewFile fresh(m_names.database(), ".tmp");
    if (!copyAll(m_path, fresh.descriptor()) || !fresh.give(m_names.database())) {
        throw Error(ErrorCode::Io,
                    "cannot move " + m_path + " to " + m_names.database() + ": " + std::strerror(errno));
    }
    unlink(m_path.c_str());
}

void TraceFile::moveWithLog()
{
    const std::string fresh = m_names.database() + ".tmp";
    trace::Writer(m_path, trace::Writer::Mode::Append).copyTo(fresh);
    trace::Writer(fresh, trace::Writer::Mode::Append).close(); // which says that no log belongs to it
    giveItsName(fresh);
    for (const char* const suffix : {"", "-wal", "-shm"}) {
        unlink((m_path + suffix).c_str());
    }
}

void TraceFile::giveItsName(const std::string& fresh) const
{
    if (rename(fresh.c_str(), m_names.database().c_str()) != 0) {
        throw Error(ErrorCode::Io, "cannot rename " + fresh + ": " + std::strerror(errno));
    }
}

} // namespace ringside::collector
