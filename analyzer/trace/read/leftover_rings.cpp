// SPDX-License-Identifier: Apache-2.0
#include "trace/read/leftover_rings.h"

#include "trace/read/process_state.h"
#include "trace/write/database.h"

#include <ringside/error.h>
#include <ringside/trace/ring.h>

#include <fstream>
#include <map>

namespace ringside::trace {
namespace {

/// Adds the ring files of `directory` to their processes; only `process`'s if one is named.
void addRings(std::map<std::string, LeftoverRings>& found, const std::filesystem::path& directory,
              const std::string& process)
{
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
        const std::string name = entry.path().stem().stem().string();
        if (entry.path().extension() == kRingExtension && (process.empty() || name == process)) {
            LeftoverRings& leftover = found[name];
            leftover.process = name;
            leftover.rings.push_back(entry.path());
        }
    }
}

void addAnnounced(std::map<std::string, LeftoverRings>& found, const std::filesystem::path& announcement,
                  bool follow)
{
    const std::string process = announcement.stem().string();
    found[process].process = process;
    found[process].announcement = announcement;
    std::ifstream lines(announcement);
    for (std::string directory; follow && std::getline(lines, directory);) {
        addRings(found, directory, process);
        const auto database = std::filesystem::path(directory) / (process + ".db");
        std::error_code absent;
        if (std::filesystem::exists(database, absent)) {
            found[process].database = database;
        }
    }
}

} // namespace

LeftoverRings findAnnounced(const std::filesystem::path& announcement)
{
    std::map<std::string, LeftoverRings> found;
    addAnnounced(found, announcement, true);
    return found.at(announcement.stem().string());
}

std::vector<LeftoverRings> findLeftoverRings(const std::filesystem::path& runDirectory,
                                             const std::filesystem::path& ringDirectoryOverride)
{
    std::map<std::string, LeftoverRings> found;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(runDirectory, error)) {
        if (entry.path().extension() == ".rings") {
            addAnnounced(found, entry.path(), ringDirectoryOverride.empty());
        }
    }
    if (error) {
        throw Error(ErrorCode::Io, "cannot list " + runDirectory.string() + ": " + error.message());
    }
    if (!ringDirectoryOverride.empty()) {
        addRings(found, ringDirectoryOverride, {});
    }
    addRings(found, runDirectory / "rings", {});
    std::vector<LeftoverRings> result;
    for (auto& [process, leftover] : found) {
        leftover.running = !leftover.rings.empty() && ringOwnerPid(leftover.rings.front());
        result.push_back(std::move(leftover));
    }
    return result;
}

void bringDatabase(const LeftoverRings& leftover, const std::filesystem::path& runDirectory)
{
    if (leftover.database.empty()) {
        return;
    }
    Database(leftover.database, SQLITE_OPEN_READWRITE)
        .execute("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE");
    const auto target = runDirectory / (leftover.process + ".db");
    const auto fresh = target.string() + ".tmp";
    std::filesystem::copy_file(leftover.database, fresh, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::rename(fresh, target);
    std::error_code notEmpty; // the directory may hold rings as well
    std::filesystem::remove(leftover.database);
    std::filesystem::remove(leftover.database.parent_path(), notEmpty);
}

void removeUnfinishedRings(const std::filesystem::path& directory, const std::string& process)
{
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(directory, ignored)) {
        const std::filesystem::path ring = entry.path().stem();
        if (entry.path().extension() == kUnfinishedExtension && ring.extension() == kRingExtension &&
            ring.stem().stem() == process) {
            std::filesystem::remove(entry.path(), ignored);
        }
    }
}

int copyLeftoverRings(const std::filesystem::path& runDirectory)
{
    int copied = 0;
    const std::filesystem::path target = runDirectory / "rings";
    for (const LeftoverRings& leftover : findLeftoverRings(runDirectory)) {
        if (leftover.running || leftover.rings.empty() || leftover.announcement.empty()) {
            continue;
        }
        bringDatabase(leftover, runDirectory);
        copied += leftover.database.empty() ? 0 : 1;
        std::filesystem::create_directories(target);
        std::filesystem::permissions(target, std::filesystem::perms::owner_all);
        for (const auto& ring : leftover.rings) {
            if (ring.parent_path() == target) {
                continue;
            }
            std::filesystem::copy_file(ring, target / ring.filename(),
                                       std::filesystem::copy_options::overwrite_existing);
            std::filesystem::remove(ring);
            removeUnfinishedRings(ring.parent_path(), leftover.process);
            std::error_code notEmpty; // the directory may hold rings of others
            std::filesystem::remove(ring.parent_path(), notEmpty);
            ++copied;
        }
        std::filesystem::remove(leftover.announcement);
    }
    return copied;
}

} // namespace ringside::trace
