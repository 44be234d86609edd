// SPDX-License-Identifier: Apache-2.0
#include "trace/read/leftover_rings.h"

#include "trace/write/database.h"

#include <ringside/error.h>
#include <ringside/trace/ring.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>

namespace ringside::trace {
namespace {

constexpr const char* kRingExtension = ".ring";

/// The fields of /proc/PID/stat after the command's name, which may hold anything.
std::optional<std::string> statFields(std::uint32_t pid)
{
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const std::size_t end = text.rfind(')');
    return end != std::string::npos ? std::optional(text.substr(end + 1)) : std::nullopt;
}

bool isRunning(std::uint32_t pid, std::uint64_t startTicks)
{
    const auto fields = statFields(pid);
    if (!fields) {
        return false;
    }
    constexpr int kStartTime = 20; // words from the state (field 3) to the start time (field 22) of proc(5)
    std::size_t at = 0;
    std::string state;
    std::string word;
    for (int i = 0; i < kStartTime && at != std::string::npos; ++i) {
        at = fields->find_first_not_of(' ', at);
        const std::size_t end = at != std::string::npos ? fields->find(' ', at) : at;
        word = at != std::string::npos ? fields->substr(at, end - at) : std::string();
        state = i == 0 ? word : state;
        at = end;
    }
    return state != "Z" && state != "X" && word == std::to_string(startTicks);
}

/// Whether the process that owns a ring file is alive on this machine.
bool ownerIsRunning(const std::filesystem::path& ring)
{
    std::array<char, sizeof(RingHeader)> bytes{};
    std::ifstream file(ring, std::ios::binary);
    if (!file.read(bytes.data(), bytes.size())) {
        return false;
    }
    std::uint32_t pid = 0;
    std::uint64_t startTicks = 0;
    std::memcpy(&pid, bytes.data() + offsetof(RingHeader, pid), sizeof pid);
    std::memcpy(&startTicks, bytes.data() + offsetof(RingHeader, processStartTicks), sizeof startTicks);
    return isRunning(pid, startTicks);
}

/// Adds the ring files of `directory`, named PROCESS.NUMBER.ring, to their processes; only `process`'s if one
/// is named.
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
        leftover.running = !leftover.rings.empty() && ownerIsRunning(leftover.rings.front());
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
            std::error_code notEmpty; // the directory may hold rings of others
            std::filesystem::remove(ring.parent_path(), notEmpty);
            ++copied;
        }
        std::filesystem::remove(leftover.announcement);
    }
    return copied;
}

} // namespace ringside::trace
