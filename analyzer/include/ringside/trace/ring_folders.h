// SPDX-License-Identifier: Apache-2.0
// Folders in memory in which collectors keep their rings, found without knowing the runs. Folders of killed
// processes stay until they are recovered or removed. The file HOST-PID.run in a folder identifies its
// process: process id, start time in ticks, pid namespace, and (the rest) the run directory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ringside::trace {

inline constexpr const char* kRingPlace = "/dev/shm";
inline constexpr const char* kFolderNoteExtension = ".run";

struct RingFolder {
    std::filesystem::path path;
    std::string process;       ///< HOST-PID; empty if not known
    std::filesystem::path run; ///< empty if not known
    std::optional<bool> runs;  ///< whether its process is alive; null if that cannot be determined from here
    std::uintmax_t bytes = 0;
    std::size_t rings = 0;
};

/// Returns the folders of this user.
[[nodiscard]] std::vector<RingFolder> findRingFolders(const std::filesystem::path& place = kRingPlace);

/// Removes a folder with the files of its process. Returns false if something is left.
bool removeRingFolder(const RingFolder& folder);

/// Removes folders of processes of this run that were killed before their first ring was complete. They
/// contain nothing to recover.
void removeFoldersWithoutRings(const std::filesystem::path& runDirectory);

} // namespace ringside::trace
