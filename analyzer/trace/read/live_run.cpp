// SPDX-License-Identifier: Apache-2.0
#include "trace/read/process_reader.h"
#include "trace/read/process_state.h"
#include "trace/read/ring_image.h"
#include "trace/read/unfinished.h"
#include "trace/tables.h"

#include <ringside/error.h>
#include <ringside/trace/gone.h>
#include <ringside/trace/live_run.h>
#include <ringside/trace/recover.h>
#include <ringside/trace/ring_decoder.h>

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

namespace ringside::trace {
namespace {

std::uint64_t headOf(const std::filesystem::path& ring)
{
    return RingImage::fieldOf<std::uint64_t>(ring, offsetof(RingHeader, head));
}

/// Writes the records that the drain thread has not processed yet as rows into `file`, with the same decoder.
void decodeInto(const std::filesystem::path& file, const ProcessTrace& process,
                const std::vector<std::filesystem::path>& paths)
{
    std::vector<RingImage> rings;
    for (const auto& path : paths) {
        RingImage ring(path);
        const auto progress = process.ringProgress.find(ring.id());
        const std::uint64_t from = progress != process.ringProgress.end() ? progress->second : 0;
        // copied while its owner writes: slots that the owner could overwrite have been drained
        if (headOf(path) - from <= ring.field<std::uint64_t>(offsetof(RingHeader, slotCount))) {
            rings.push_back(std::move(ring));
        }
    }
    std::stable_partition(rings.begin(), rings.end(),
                          [](const RingImage& ring) { return ring.isDefinitions(); });
    Writer writer(file, Writer::Mode::Create);
    RingDecoder decoder(writer);
    for (const ClockSampleRow& sample : process.clockSamples) {
        if (sample.ticks) {
            decoder.addClockReading({{}, *sample.ticks, sample.monotonicNs, sample.realtimeNs});
        }
    }
    for (const RingImage& ring : rings) {
        const auto progress = process.ringProgress.find(ring.id());
        decoder.decode(ring.bytes(), progress != process.ringProgress.end() ? progress->second : 0);
        decoder.decodeInFlight(ring.bytes());
        for (const SettingRow& row :
             ownEndSettings(ring.field<std::uint32_t>(offsetof(RingHeader, ownEnd)))) {
            writer.add(row);
        }
    }
    writer.close();
}

template <class Rows>
void append(Rows& to, Rows&& from)
{
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

void append(ProcessRow&, ProcessRow&&) {}                       // the database has it
void append(std::vector<IssueRow>&, std::vector<IssueRow>&&) {} // issues of the scratch file

void addRows(ProcessTrace& to, ProcessTrace&& from)
{
    to.strings.merge(from.strings);
#define RINGSIDE_PLAIN_TABLE(RowType, member, sqlName, keyColumns, orderColumns)                             \
    append(to.member, std::move(from.member));
#define RINGSIDE_COLUMN(member, sqlName)
#define RINGSIDE_END_TABLE
#include "trace/plain_tables.def"
#define RINGSIDE_CHUNK_TABLE(RowType, ColumnsType, member, sqlName)                                          \
    appendColumns<RowType>(to.member, std::move(from.member));
#define RINGSIDE_COLUMN(member, sqlName, encoding)
#define RINGSIDE_END_TABLE
#include "trace/chunk_tables.def"
}

Owner ownerOf(std::optional<std::uint32_t> pid)
{
    switch (pid ? stateOf(*pid) : ProcessState::Gone) {
    case ProcessState::Running:
        return Owner::Running;
    case ProcessState::Stopped:
        return Owner::Stopped;
    case ProcessState::Gone:
        break;
    }
    return Owner::Gone;
}

/// Whether a process still maps a file. Null: its maps cannot be read. By the number of the file, because a
/// container sees other paths, or by its name, because layered file systems show other numbers.
std::optional<bool> maps(std::uint32_t pid, const std::filesystem::path& file)
{
    struct stat status {};
    std::ifstream lines("/proc/" + std::to_string(pid) + "/maps");
    std::string line;
    if (stat(file.c_str(), &status) != 0 || !std::getline(lines, line)) {
        return std::nullopt;
    }
    const std::string inode = " " + std::to_string(status.st_ino) + " ";
    const std::string name = "/" + file.filename().string();
    do {
        if (line.find(inode) != std::string::npos || line.find(name) != std::string::npos) {
            return true;
        }
    } while (std::getline(lines, line));
    return false;
}

/// The state of a process whose rings these are. A program that replaced itself (execveat, or a system call
/// of its own) keeps its process id, but not its memory.
Owner ownerOfRings(std::optional<std::uint32_t> pid, const std::filesystem::path& ring)
{
    const Owner owner = ownerOf(pid);
    const bool lives = owner == Owner::Running || owner == Owner::Stopped;
    return lives && maps(*pid, ring) == false && ownerOf(pid) == owner ? Owner::Replaced : owner;
}

/// Returns the contents of the run directory. Returns nothing if all databases are elsewhere on this host
/// until they are closed.
RunTrace openPresent(const std::filesystem::path& path, bool elsewhere)
{
    try {
        return openRun(path);
    } catch (const Error&) {
        if (!elsewhere) {
            throw;
        }
        RunTrace run;
        run.path = path;
        return run;
    }
}

/// Returns the database of a flight recorder, or one that is kept off a network file system. It replaces the
/// file of the same name in the run directory, which is an earlier dump of it.
void takeLocal(RunTrace& run, const LeftoverRings& leftover)
{
    ProcessTrace local = readProcess(leftover.database);
    local.path = run.path / (leftover.process + ".db");
    addFilesBeside(local, local.path);
    const auto dumped = std::find_if(run.processes.begin(), run.processes.end(),
                                     [&local](const ProcessTrace& each) { return each.path == local.path; });
    if (dumped != run.processes.end()) {
        *dumped = std::move(local);
    } else {
        run.processes.push_back(std::move(local));
    }
}

RunTrace openWithLocal(const std::filesystem::path& path)
{
    const std::vector<LeftoverRings> leftovers =
        std::filesystem::is_directory(path) ? findLeftoverRings(path) : std::vector<LeftoverRings>();
    const auto isElsewhere = [](const LeftoverRings& each) { return !each.database.empty(); };
    RunTrace run = openPresent(path, std::any_of(leftovers.begin(), leftovers.end(), isElsewhere));
    for (const LeftoverRings& leftover : leftovers) {
        try {
            if (isElsewhere(leftover)) {
                takeLocal(run, leftover);
            }
        } catch (const Error& error) { // it is being created or moved at this moment
            run.issues.push_back(IssueRow{Issue::UnreadableFile, 1, error.what()});
        }
    }
    if (run.processes.empty()) {
        throw Error(ErrorCode::Unusable, path.string() + " contains no trace that can be read yet",
                    "Try again when the job has made its first steps.");
    }
    return run;
}

} // namespace

LiveRun openLiveRun(const std::filesystem::path& path)
{
    LiveRun live{openWithLocal(path), {}, {}, {}};
    auto& processes = live.run.processes;
    live.owners.resize(processes.size(), Owner::NotKnown);
    live.callsKnown.resize(processes.size(), false);
    live.pids.resize(processes.size());
    if (!std::filesystem::is_directory(path)) {
        return live;
    }
    for (const LeftoverRings& leftover : findLeftoverRings(path)) {
        const auto process = std::find_if(processes.begin(), processes.end(), [&](const ProcessTrace& each) {
            return each.path.stem() == leftover.process;
        });
        if (process == processes.end()) {
            continue; // it has no database yet
        }
        const auto index = static_cast<std::size_t>(process - processes.begin());
        if (leftover.rings.empty()) {
            continue; // on another host
        }
        live.pids[index] = ringOwnerPid(leftover.rings.front());
        live.owners[index] = ownerOfRings(live.pids[index], leftover.rings.front());
        const Unfinished scratch = makeTemporaryFolder();
        const std::filesystem::path decoded = scratch.path() / "rings.db";
        decodeInto(decoded, *process, leftover.rings);
        addRows(*process, readProcess(decoded));
        live.callsKnown[index] = true;
    }
    return live;
}

} // namespace ringside::trace
