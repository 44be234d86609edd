// SPDX-License-Identifier: Apache-2.0
// Folders in memory in which collectors keep their rings, looked for without their runs: what killed
// processes leave there stays until somebody takes or removes it. HOST-PID.run in them says whose they are:
// process id, its start time in ticks, its pid namespace, and, to the end, the run directory.
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
    std::string process;       ///< HOST-PID; empty: it does not say
    std::filesystem::path run; ///< empty: it does not say
    std::optional<bool> runs;  ///< whether its process is alive; null: cannot be told from here
    std::uintmax_t bytes = 0;
    std::size_t rings = 0;
};

/// This user's.
[[nodiscard]] std::vector<RingFolder> findRingFolders(const std::filesystem::path& place = kRingPlace);

/// With the files of its process. False where something is left.
bool removeRingFolder(const RingFolder& folder);

/// Of processes of this run that were killed before their first ring was whole: those have nothing to
/// recover.
void removeFoldersWithoutRings(const std::filesystem::path& runDirectory);

} // namespace ringside::trace
