// SPDX-License-Identifier: Apache-2.0
// Recovers the rings of dead processes into the trace and reports the result.
#pragma once
#include <filesystem>

namespace ringside::cli {

enum class WhenNothing { Report, BeSilent };
/// Recovers what is left of a run and reports it on stderr. If `rings` is empty, the folders stored in the
/// run are searched. Throws ringside::Error if the run directory cannot be read.
void recoverAndReport(const std::filesystem::path& run, WhenNothing whenNothing,
                      const std::filesystem::path& rings = {});

/// Moves the rings of this user's killed processes from memory into their runs, and removes rings whose run
/// does not exist any more, with a message on stderr: they occupy the memory that new rings need. Never
/// throws.
void clearRingFolders();

/// Prints one line on stdout for each folder with rings of this user.
void listRingFolders();

} // namespace ringside::cli
