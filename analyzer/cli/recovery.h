// SPDX-License-Identifier: Apache-2.0
// Putting the rings of dead processes into the trace, and saying what came of it.
#pragma once
#include <filesystem>

namespace ringside::cli {

enum class WhenNothing { Tell, BeSilent };
/// Recovers what is left of a run and tells it on stderr. An empty `rings`:
/// where the run says they are. Throws ringside::Error when the run directory cannot be read.
void recoverAndTell(const std::filesystem::path& run, WhenNothing whenNothing,
                    const std::filesystem::path& rings = {});

/// Takes what killed processes of this user left in memory into their runs, and removes what has no run any
/// more, with a word on stderr: it takes the room of the rings to come. Never throws.
void clearRingFolders();

/// One line on stdout for each folder of rings of this user.
void listRingFolders();

} // namespace ringside::cli
