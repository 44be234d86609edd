// SPDX-License-Identifier: Apache-2.0
#include "trace/write/small_file.h"

#include <ringside/trace/live_snapshot.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <sstream>
#include <string_view>
#include <vector>

namespace ringside::trace {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostProcesses = 256; ///< of a host

/// HOST-PID or HOST-PID-N.
bool isOfHost(const fs::path& file, const std::string& host)
{
    const std::string stem = file.stem().string();
    return stem.starts_with(host + "-") && stem.size() > host.size() + 1 &&
           stem.find_first_not_of("0123456789-", host.size()) == std::string::npos;
}

/// A folder that a note names, which may name any place: believed only where it is private and ours.
bool isOurFolder(const std::string& folder)
{
    struct stat status {};
    constexpr mode_t kOfOthers = 077;
    return lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
           (status.st_mode & kOfOthers) == 0;
}

void addPartsElsewhere(const fs::path& note, std::vector<fs::path>& parts)
{
    std::istringstream folders(readSmallFile(note, From::OurselvesOrRoot));
    const std::string name = note.stem().string() + kLivePartExtension;
    for (std::string folder; std::getline(folders, folder);) {
        const fs::path part = fs::path(folder) / name;
        if (isOurFolder(folder) && access(part.c_str(), R_OK) == 0) {
            parts.push_back(part);
        }
    }
}

std::vector<fs::path> findParts(const fs::path& runDirectory, const std::string& host)
{
    std::vector<fs::path> parts;
    std::error_code error;
    for (fs::directory_iterator file(runDirectory, error), end; !error && file != end;
         file.increment(error)) {
        if (!isOfHost(file->path(), host)) {
            continue;
        }
        if (file->path().extension() == kLivePartExtension) {
            parts.push_back(file->path());
        } else if (file->path().extension() == ".rings") {
            addPartsElsewhere(file->path(), parts);
        }
    }
    std::sort(parts.begin(), parts.end());
    parts.resize(std::min(parts.size(), kMostProcesses));
    return parts;
}

std::int64_t nowMs()
{
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    constexpr std::int64_t kMsASecond = 1000;
    constexpr std::int64_t kNsAMs = 1'000'000;
    return now.tv_sec * kMsASecond + now.tv_nsec / kNsAMs;
}

} // namespace

std::string jsonText(std::string_view text)
{
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            quoted += '\\';
        }
        if (static_cast<unsigned char>(c) < ' ') {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
            quoted += escaped;
        } else {
            quoted += c;
        }
    }
    return quoted + '"';
}

bool writeLiveSnapshot(const fs::path& runDirectory, const std::string& host, const std::string& alarms)
{
    const fs::path file = runDirectory / (host + kLiveSnapshotEnding);
    std::string processes;
    std::size_t leftOut = 0;
    for (const fs::path& path : findParts(runDirectory, host)) {
        const std::string part = readSmallFile(path, From::OurselvesOrRoot, kMostPartBytes);
        if (!part.starts_with('{') || !part.ends_with("}\n") ||
            processes.size() + part.size() > kMostSnapshotBytes) {
            ++leftOut;
            continue;
        }
        processes += (processes.empty() ? "\n" : ",\n") + part.substr(0, part.size() - 1);
    }
    if (processes.empty()) {
        return unlink(file.c_str()) == 0 || errno == ENOENT;
    }
    return replaceFile(file, "{\"schema\": " + jsonText(kLiveSchema) + ", \"host\": " + jsonText(host) +
                                 ", \"written_ms\": " + std::to_string(nowMs()) +
                                 ", \"processes_left_out\": " + std::to_string(leftOut) +
                                 ",\n\"alarms\": " + alarms + ",\n\"processes\": [" + processes + "\n]}\n");
}

} // namespace ringside::trace
