// SPDX-License-Identifier: Apache-2.0
#include "host/process.h"
#include "trace/read/leftover_rings.h"
#include "trace/read/process_state.h"

#include <ringside/trace/ring.h>
#include <ringside/trace/ring_folders.h>

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <sstream>

namespace ringside::trace {
namespace {

namespace fs = std::filesystem;

RingFolder readFolder(const Folder& folder, const fs::path& path)
{
    RingFolder result;
    result.path = path;
    for (const std::string& name : folder.names()) {
        const auto file = folder.openFile(name);
        if (!file) {
            continue;
        }
        result.bytes += static_cast<std::uintmax_t>(file->status.st_size);
        result.rings += fs::path(name).extension() == kRingExtension ? 1U : 0U;
        if (fs::path(name).extension() != kFolderNoteExtension) {
            continue;
        }
        constexpr std::size_t kLongestBytes = 8192;
        std::istringstream note(file->head(kLongestBytes));
        std::uint32_t pid = 0;
        std::uint64_t startTicks = 0;
        std::string pidNamespace;
        note >> pid >> startTicks >> pidNamespace >> std::ws;
        result.process = fs::path(name).stem().string();
        result.run = std::string(std::istreambuf_iterator<char>(note), {});
        if (startTicks != 0 && pidNamespace == host::ownPidNamespace()) {
            result.runs = pidHere(pid, startTicks).has_value();
        }
    }
    return result;
}

} // namespace

std::vector<RingFolder> findRingFolders(const fs::path& place)
{
    std::vector<RingFolder> found;
    const auto parent = Folder::open(place, Folder::LastLink::Follow);
    if (!parent) {
        return found;
    }
    for (const std::string& name : parent->names()) {
        const auto folder = isRingFolderName(name) ? parent->openFolder(name) : std::nullopt;
        constexpr mode_t kPrivate = 0700;
        if (folder && folder->owner() == geteuid() && folder->permissions() == kPrivate) {
            found.push_back(readFolder(*folder, place / name));
        }
    }
    return found;
}

bool removeRingFolder(const RingFolder& found)
{
    const auto folder = Folder::open(found.path, Folder::LastLink::Refuse);
    if (!folder || folder->owner() != geteuid() || found.process.empty()) {
        return false;
    }
    for (const std::string& name : folder->names()) {
        const std::string process = found.process + ".";
        if (name.starts_with(process) && folder->openFile(name)) {
            folder->remove(name);
        }
    }
    return rmdir(found.path.c_str()) == 0;
}

void removeFoldersWithoutRings(const fs::path& runDirectory)
{
    for (const RingFolder& folder : findRingFolders()) {
        std::error_code absent;
        if (folder.rings == 0 && folder.runs == false && fs::equivalent(folder.run, runDirectory, absent)) {
            removeRingFolder(folder);
        }
    }
}

} // namespace ringside::trace
