// SPDX-License-Identifier: Apache-2.0
#include "trace/read/leftover_rings.h"

#include "trace/read/process_state.h"
#include "trace/read/system_error.h"
#include "trace/tables.h"
#include "trace/write/database.h"

#include <ringside/error.h>
#include <ringside/trace/ring.h>
#include <ringside/trace/ring_folders.h>

#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <map>
#include <sstream>
#include <string_view>

namespace ringside::trace {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCopiedRings = "rings"; ///< in the run directory
constexpr std::array kDatabaseFiles{"", "-journal", "-wal"};

/// Where the rings of a run may be, and who may own them.
struct Places {
    const Folder& run;
    const fs::path& path; ///< path of the run directory

    /// Returns whether it is this user or the owner of the run, whose files root may read.
    [[nodiscard]] bool isOfRun(uid_t owner) const { return owner == run.owner() || owner == geteuid(); }

    /// Returns the folder that an announcement names, if the collector created it. The folder beside the
    /// trace is searched in the current place of the run.
    [[nodiscard]] std::optional<std::pair<Folder, fs::path>> announced(const fs::path& named,
                                                                       const std::string& process) const
    {
        const std::string name = named.filename().string();
        const bool beside = name == process + ".ringfiles";
        if (!beside && !isRingFolderName(name)) {
            return std::nullopt;
        }
        auto folder = beside ? run.openFolder(name) : Folder::open(named, Folder::LastLink::Refuse);
        constexpr mode_t kPrivate = 0700;
        if (!folder || !isOfRun(folder->owner()) || folder->permissions() != kPrivate) {
            return std::nullopt;
        }
        return std::pair(std::move(*folder), beside ? path / name : named);
    }
};

bool isRing(const OpenFile& file)
{
    const std::string head = file.head(sizeof kRingMagic);
    return head.size() == sizeof kRingMagic && std::memcmp(head.data(), &kRingMagic, sizeof kRingMagic) == 0;
}

using Found = std::map<std::string, LeftoverRings>;

/// Adds the ring files of a folder to their processes, or only those of `process` if one is given.
void addRings(Found& found, const Folder& folder, const fs::path& path, const std::string& process)
{
    for (const std::string& each : folder.names()) {
        const std::string name = fs::path(each).stem().stem().string();
        if (fs::path(each).extension() != kRingExtension || (!process.empty() && name != process)) {
            continue;
        }
        const auto file = folder.openFile(each);
        if (file && file->status.st_uid == folder.owner() && isRing(*file)) {
            found[name].process = name;
            found[name].rings.push_back(path / each);
        }
    }
}

void addAnnounced(Found& found, const Places& places, const std::string& announcement, bool follow)
{
    const auto file = places.run.openFile(announcement);
    if (!file || !places.isOfRun(file->status.st_uid)) {
        return;
    }
    const std::string process = fs::path(announcement).stem().string();
    LeftoverRings& leftover = found[process];
    leftover.process = process;
    leftover.announcement = places.path / announcement;
    constexpr std::size_t kLongestBytes = 65536;
    std::istringstream lines(file->head(kLongestBytes));
    for (std::string line; follow && std::getline(lines, line);) {
        const auto place = places.announced(line, process);
        if (!place) {
            continue;
        }
        const auto& [folder, path] = *place;
        addRings(found, folder, path, process);
        const auto database = folder.openFile(process + ".db");
        if (database && database->status.st_uid == folder.owner()) {
            leftover.database = path / (process + ".db");
        }
    }
}

Folder openFolderOf(const fs::path& path, Folder::LastLink link)
{
    if (auto folder = Folder::open(path, link)) {
        return std::move(*folder);
    }
    throw systemError("cannot list " + path.string(), errno);
}

/// Returns the folder of a leftover, if it still belongs to this user.
std::optional<Folder> openOwn(const fs::path& path)
{
    auto folder = Folder::open(path, Folder::LastLink::Refuse);
    return folder && folder->owner() == geteuid() ? std::move(folder) : std::nullopt;
}

std::optional<OpenFile> openOwn(const Folder& folder, const std::string& name)
{
    auto file = folder.openFile(name);
    return file && file->status.st_uid == geteuid() ? std::move(file) : std::nullopt;
}

/// Returns whether the file is a trace, or a trace whose first transaction was never committed.
bool isTrace(Database& database)
{
    return database.queryInteger("PRAGMA application_id").value_or(0) == kApplicationId ||
           database.queryInteger("SELECT count(*) FROM sqlite_schema").value_or(1) == 0;
}

/// Copies the database together with the log of the dead process to `name` in the run directory.
void copyDatabase(const Folder& from, const std::string& process, const Folder& run, const fs::path& target)
{
    const std::string name = target.filename().string();
    removeDatabase(run, name);
    for (const char* const ending : kDatabaseFiles) {
        if (const auto file = openOwn(from, process + ".db" + ending)) {
            copyFile(*file, run, name + ending);
        }
    }
    Database copy(target, SQLITE_OPEN_READWRITE);
    // avoids shared memory, which a network file system lacks
    copy.execute("PRAGMA locking_mode = EXCLUSIVE");
    if (!isTrace(copy)) {
        throw Error(ErrorCode::Unusable,
                    process + ".db beside its rings is no trace of ours: it stays there");
    }
    copy.execute("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE");
}

/// Returns whether the collector created the folder for this purpose.
void removeEmptyFolder(const fs::path& path, const Folder& folder)
{
    const std::string name = path.filename().string();
    struct stat now {};
    for (const std::string& each : folder.names()) {
        if (isRingFolderName(name) && fs::path(each).extension() == kFolderNoteExtension &&
            folder.names().size() == 1) {
            folder.remove(each);
        }
    }
    if ((isRingFolderName(name) || name == kCopiedRings || name.ends_with(".ringfiles")) &&
        lstat(path.c_str(), &now) == 0 && folder.isSame(now)) {
        rmdir(path.c_str());
    }
}

void removeUnfinishedRings(const Folder& folder, const std::string& process)
{
    for (const std::string& each : folder.names()) {
        const fs::path ring = fs::path(each).stem();
        if (fs::path(each).extension() == kUnfinishedExtension && ring.extension() == kRingExtension &&
            ring.stem().stem() == process && openOwn(folder, each)) {
            folder.remove(each);
        }
    }
}

/// Returns the number of files.
int copyRings(const LeftoverRings& leftover, const Folder& target)
{
    int copied = 0;
    for (const auto& ring : leftover.rings) {
        const auto folder = openOwn(ring.parent_path());
        const auto file = folder ? openOwn(*folder, ring.filename()) : std::nullopt;
        struct stat there {};
        if (!file || (fstat(target.number(), &there) == 0 && folder->isSame(there))) {
            continue;
        }
        constexpr off_t kLongestBytes = (off_t{1} << 30) + kRingHeaderBytes; // limit of the collector
        if (file->status.st_size > kLongestBytes) {
            throw Error(ErrorCode::Unusable, ring.string() + " is longer than any ring",
                        "Move it away and recover the rest.");
        }
        copyFile(*file, target, ring.filename());
        ++copied;
    }
    return copied;
}

} // namespace

bool isRingFolderName(std::string_view name)
{
    constexpr std::string_view kBegin = "ringside-";
    constexpr std::size_t kRandom = 6;
    if (!name.starts_with(kBegin) || name.size() < kBegin.size() + kRandom + 2) {
        return false;
    }
    name.remove_prefix(kBegin.size());
    const std::string_view random = name.substr(name.size() - kRandom);
    const std::string_view user = name.substr(0, name.size() - kRandom - 1);
    return name[user.size()] == '-' && user.find_first_not_of("0123456789") == std::string_view::npos &&
           std::ranges::all_of(random, [](unsigned char c) { return std::isalnum(c) != 0; });
}

LeftoverRings findAnnounced(const fs::path& announcement)
{
    const fs::path runDirectory = announcement.parent_path();
    const Folder run = openFolderOf(runDirectory, Folder::LastLink::Follow);
    Found found;
    addAnnounced(found, {run, runDirectory}, announcement.filename(), true);
    return found[announcement.stem().string()];
}

std::vector<LeftoverRings> findLeftoverRings(const fs::path& runDirectory,
                                             const fs::path& ringDirectoryOverride)
{
    const Folder run = openFolderOf(runDirectory, Folder::LastLink::Follow);
    const Places places{run, runDirectory};
    Found found;
    for (const std::string& name : run.names()) {
        if (fs::path(name).extension() == ".rings") {
            addAnnounced(found, places, name, ringDirectoryOverride.empty());
        }
    }
    if (!ringDirectoryOverride.empty()) {
        addRings(found, openFolderOf(ringDirectoryOverride, Folder::LastLink::Follow), ringDirectoryOverride,
                 {});
    }
    if (const auto copied = run.openFolder(kCopiedRings); copied && places.isOfRun(copied->owner())) {
        addRings(found, *copied, runDirectory / kCopiedRings, {});
    }
    std::vector<LeftoverRings> result;
    for (auto& [process, leftover] : found) {
        leftover.running = !leftover.rings.empty() && ringOwnerPid(leftover.rings.front());
        result.push_back(std::move(leftover));
    }
    return result;
}

Folder openOwnRun(const fs::path& runDirectory)
{
    Folder run = openFolderOf(runDirectory, Folder::LastLink::Follow);
    if (run.owner() != geteuid()) {
        throw Error(ErrorCode::Usage,
                    runDirectory.string() + " belongs to another user: nothing was written there",
                    "Do it as its owner, or give a directory of your own.");
    }
    if ((run.permissions() & S_IWOTH) != 0) {
        throw Error(ErrorCode::Usage,
                    runDirectory.string() + " can be written by everybody: nothing was written there",
                    "Take that right away (chmod o-w), or give another directory.");
    }
    return run;
}

void removeDatabase(const Folder& folder, const std::string& name)
{
    for (const char* const ending : {"", "-journal", "-wal", "-shm"}) {
        folder.remove(name + ending);
    }
}

Folder lockOwnRun(const fs::path& runDirectory)
{
    Folder run = openOwnRun(runDirectory);
    flock(run.number(), LOCK_EX); // some network file systems have no locks; continue without one
    return run;
}

void bringDatabase(const LeftoverRings& leftover, const Folder& run)
{
    if (leftover.database.empty()) {
        return;
    }
    const auto from = openOwn(leftover.database.parent_path());
    if (!from) {
        throw Error(ErrorCode::Unusable, leftover.database.string() + " belongs to another user",
                    "Recover the run as the user who recorded it.");
    }
    const fs::path target =
        fs::read_symlink("/proc/self/fd/" + std::to_string(run.number())) / (leftover.process + ".db.tmp");
    try {
        copyDatabase(*from, leftover.process, run, target);
    } catch (...) {
        removeDatabase(run, target.filename());
        throw;
    }
    if (!run.rename(target.filename(), leftover.process + ".db")) {
        throw systemError("cannot rename " + target.string(), errno);
    }
    removeDatabase(*from, leftover.database.filename());
    removeEmptyFolder(leftover.database.parent_path(), *from);
}

void removeRings(const LeftoverRings& leftover)
{
    for (const auto& ring : leftover.rings) {
        const auto folder = openOwn(ring.parent_path());
        if (!folder) {
            continue;
        }
        if (const auto file = openOwn(*folder, ring.filename()); file && isRing(*file)) {
            folder->remove(ring.filename(), *file);
        }
        removeUnfinishedRings(*folder, leftover.process);
        removeEmptyFolder(ring.parent_path(), *folder);
    }
    if (!leftover.announcement.empty()) {
        if (const auto run = openOwn(leftover.announcement.parent_path())) {
            run->remove(leftover.announcement.filename());
        }
    }
}

int copyLeftoverRings(const fs::path& runDirectory)
{
    int copied = 0;
    const Folder run = lockOwnRun(runDirectory);
    for (const LeftoverRings& leftover : findLeftoverRings(runDirectory)) {
        if (leftover.running || leftover.rings.empty() || leftover.announcement.empty()) {
            continue;
        }
        bringDatabase(leftover, run);
        copied += leftover.database.empty() ? 0 : 1;
        const auto target = run.makeFolder(kCopiedRings);
        if (!target || target->owner() != geteuid()) {
            throw Error(ErrorCode::Io,
                        (runDirectory / kCopiedRings).string() + " was not created by Ringside",
                        "Rename or remove it, and recover again.");
        }
        copied += copyRings(leftover, *target);
        LeftoverRings elsewhere = leftover;
        std::erase_if(elsewhere.rings, [&](const fs::path& ring) {
            return ring.parent_path() == runDirectory / kCopiedRings;
        });
        removeRings(elsewhere);
    }
    return copied;
}

} // namespace ringside::trace
