// SPDX-License-Identifier: Apache-2.0
#include "host/process.h"
#include "trace/read/leftover_rings.h"
#include "trace/read/ring_image.h"
#include "trace/write/database.h"

#include <ringside/trace/gone.h>
#include <ringside/trace/machine_counter.h>
#include <ringside/trace/recover.h>
#include <ringside/trace/ring_decoder.h>
#include <ringside/trace/ring_folders.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <fstream>
#include <optional>

namespace ringside::trace {
namespace {

std::int64_t nanoseconds(clockid_t clock)
{
    timespec now{};
    clock_gettime(clock, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// What recovery needs from the database. Read before the writer opens it.
struct Stored {
    bool exists = false;
    bool hasProcess = false;
    bool closed = false;
    bool deviceTier = false;
    std::int64_t recovered = 0;
    std::vector<ClockRecord> clock; ///< readings that are no longer in the ring

    explicit Stored(const std::filesystem::path& file) : exists(std::filesystem::exists(file))
    {
        if (!exists) {
            return;
        }
        Database database(file,
                          // read-write, so that SQLite takes over the WAL of the dead process
                          SQLITE_OPEN_READWRITE);
        Statement process(database, "SELECT end_ns IS NOT NULL FROM process");
        if (process.step()) {
            hasProcess = true;
            closed = process.column<bool>(0);
        }
        deviceTier = database.queryInteger("SELECT active FROM tier WHERE tier = 'device'").value_or(0) != 0;
        Statement samples(database,
                          "SELECT ticks, monotonic_ns, realtime_ns FROM clock_sample WHERE ticks IS NOT NULL"
                          " ORDER BY monotonic_ns");
        while (samples.step()) {
            clock.push_back({{},
                             samples.column<std::uint64_t>(0),
                             samples.column<std::int64_t>(1),
                             samples.column<std::int64_t>(2)});
        }
        recovered =
            database.queryInteger("SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'recovered_records'")
                .value_or(0);
    }
};

/// A process that ended early left only one reading of its clock. The clocks of this machine give a second
/// one if it has not rebooted. Throws Error if it has; the rings are kept then.
void completeClock(RingDecoder& decoder, const RingImage& definitions)
{
    const std::string boot = definitions.text<sizeof(RingHeader::bootId)>(offsetof(RingHeader, bootId));
    if (decoder.clockReady() || boot.empty()) {
        return;
    }
    if (boot != host::bootId()) {
        throw Error(ErrorCode::Unusable,
                    "it died before its clock was measured, and that can only be done on its host, until "
                    "the next boot: run this there");
    }
    decoder.addClockReading(
        {{}, readMachineCounter(), nanoseconds(CLOCK_MONOTONIC), nanoseconds(CLOCK_REALTIME)});
}

void writeDropped(Writer& writer, const RingImage& ring, RecoverReport::Process& result)
{
    const auto dropped = ring.field<std::int64_t>(offsetof(RingHeader, dropped));
    if (dropped > 0) {
        writer.setDropped({ring.isDefinitions() ? "definitions" : "ring records", ring.id(), dropped,
                           ring.field<std::uint32_t>(offsetof(RingHeader, threadId))});
        result.dropped += dropped;
    }
}

/// Decodes everything that can be decoded. One call decodes at most the length of a ring, and records that
/// are held back may become available in between.
void decodeAll(RingDecoder& decoder, Writer& writer, const RingImage& ring)
{
    const std::uint64_t from = writer.ringProgress(ring.id());
    const std::uint64_t end = decoder.decode(ring.bytes(), from);
    if (end != from) {
        writer.setRingProgress(ring.id(), end);
    }
}

void describe(Writer& writer, const Stored& stored, const RingImage& ring, const std::string& name)
{
    if (!stored.hasProcess) {
        ProcessRow process;
        process.host = name.substr(0, name.rfind('-'));
        process.bootId = ring.text<sizeof(RingHeader::bootId)>(offsetof(RingHeader, bootId));
        process.pid = ring.field<std::uint32_t>(offsetof(RingHeader, pid));
        process.startNs = ring.field<std::int64_t>(offsetof(RingHeader, createdMonotonicNs));
        writer.setProcess(process);
    }
    if (stored.closed) {
        return;
    }
    const std::vector<SettingRow> told =
        ownEndSettings(ring.field<std::uint32_t>(offsetof(RingHeader, ownEnd)));
    for (const SettingRow& row : told) {
        writer.add(row);
    }
    if (ring.field<std::int64_t>(offsetof(RingHeader, stoppedNs)) != 0) {
        const auto reason = ring.text<sizeof(RingHeader::stopReason)>(offsetof(RingHeader, stopReason));
        const std::string why = reason.empty()
                                    ? "(a full disk or a file size limit; the collector said which on "
                                      "stderr)"
                                    : "(" + reason + ")";
        writer.add(IssueRow{Issue::RecordingStopped, 1,
                            "the trace could not be written any more while the process ran " + why +
                                ": its later calls are not recorded"});
    } else if (!told.empty()) {
        writer.add(IssueRow{
            Issue::EndedPastExit, 1,
            "the process ended itself, but did not close its trace (_exit, quick_exit and exec leave no "
            "time for that); the records in its rings were recovered"});
    } else {
        writer.add(
            IssueRow{Issue::ProcessKilled, 1,
                     "the process ended without closing its trace; the records in its rings were recovered"});
    }
    if (stored.deviceTier) {
        writer.add(IssueRow{Issue::DeviceRecordsMissing, 1,
                            "device records since the last flush are missing: they were in the memory of the "
                            "process"});
    }
}

/// A database without a schema (whose creation is one transaction) is empty and cannot be continued.
void removeUnbegun(const Folder& run, const std::filesystem::path& file)
{
    if (std::filesystem::exists(file) &&
        Database(file, SQLITE_OPEN_READWRITE).queryInteger("SELECT count(*) FROM sqlite_schema") == 0) {
        removeDatabase(run, file.filename());
    }
}

RecoverReport::Process appendRings(const std::filesystem::path& database, const LeftoverRings& leftover)
{
    RecoverReport::Process result{leftover.process};
    std::vector<RingImage> rings;
    for (const auto& path : leftover.rings) {
        rings.emplace_back(path);
    }
    // definitions first, because the other rings refer to them
    std::stable_partition(rings.begin(), rings.end(),
                          [](const RingImage& ring) { return ring.isDefinitions(); });
    const Stored stored(database);
    Writer writer(database, stored.exists ? Writer::Mode::Append : Writer::Mode::Create);
    RingDecoder decoder(writer);
    for (const ClockRecord& reading : stored.clock) {
        decoder.addClockReading(reading);
    }
    for (const RingImage& ring : rings) {
        decodeAll(decoder, writer, ring);
        if (ring.isDefinitions()) {
            completeClock(decoder, ring);
            decodeAll(decoder, writer, ring);
        }
        decoder.decodeInFlight(ring.bytes());
        writeDropped(writer, ring, result);
    }
    result.records = static_cast<std::int64_t>(decoder.recordsDecoded());
    result.inFlight = static_cast<std::int64_t>(decoder.inFlightDecoded());
    describe(writer, stored, rings.front(), leftover.process);
    writer.setMeta("recovered_records", std::to_string(stored.recovered + result.records));
    writer.close();
    return result;
}

RecoverReport::Process recoverProcess(const Folder& run, const std::filesystem::path& database,
                                      const LeftoverRings& leftover)
{
    removeUnbegun(run, database);
    const bool existed = std::filesystem::exists(database);
    try {
        return appendRings(database, leftover);
    } catch (...) {
        if (!existed) {
            removeDatabase(run, database.filename());
        }
        throw;
    }
}

/// A link there would redirect SQLite's writes.
void checkDatabase(const Folder& run, const std::string& name)
{
    struct stat status {};
    if (fstatat(run.number(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        (!S_ISREG(status.st_mode) || status.st_uid != geteuid())) {
        throw Error(ErrorCode::Unusable, name + " in the run directory was not created by Ringside",
                    "Rename or remove it, and recover again.");
    }
}

} // namespace

std::optional<std::string> stopReason(const LeftoverRings& leftover)
{
    for (const auto& path : leftover.rings) {
        if (RingImage::fieldOf<std::int64_t>(path, offsetof(RingHeader, stoppedNs)) != 0) {
            const auto text = RingImage::fieldOf<std::array<char, sizeof(RingHeader::stopReason)>>(
                path, offsetof(RingHeader, stopReason));
            return std::string(text.data(), strnlen(text.data(), text.size()));
        }
    }
    return std::nullopt;
}

RecoverReport recover(const std::filesystem::path& runDirectory,
                      const std::filesystem::path& ringDirectoryOverride)
{
    RecoverReport report;
    const Folder run = lockOwnRun(runDirectory);
    for (const LeftoverRings& leftover : findLeftoverRings(runDirectory, ringDirectoryOverride)) {
        if (leftover.running) {
            report.skipped.push_back(leftover.process + " is still running: it writes its trace itself");
            continue;
        }
        if (leftover.rings.empty()) {
            report.skipped.push_back(
                leftover.process + " has no rings here: they are on another host (run this there), gone, or "
                                   "it was killed before it had one");
            continue;
        }
        try {
            bringDatabase(leftover, run);
            checkDatabase(run, leftover.process + ".db");
            report.processes.push_back(
                recoverProcess(run, runDirectory / (leftover.process + ".db"), leftover));
            removeRings(leftover);
        } catch (const std::exception& error) {
            report.skipped.push_back(leftover.process + ": " + error.what());
        }
    }
    removeFoldersWithoutRings(runDirectory);
    return report;
}

} // namespace ringside::trace
