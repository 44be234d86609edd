// SPDX-License-Identifier: Apache-2.0
// What recovery takes from beside the run directory. A note in it may name any place, so each folder and file
// is looked at before it is moved or removed: it must be what the collector made for this user.
#pragma once
#include "trace/read/folder.h"

#include <ringside/trace/recover.h>

#include <string_view>

namespace ringside::trace {

/// ringside-UID-XXXXXX, as the collector's mkdtemp makes them. The number is not compared: in a container the
/// same user may have another one.
[[nodiscard]] bool isRingFolderName(std::string_view name);

/// The run directory, to write into. Throws Error where it is not this user's, or everybody may write into
/// it: a link could stand there at any moment.
[[nodiscard]] Folder openOwnRun(const std::filesystem::path& runDirectory);

/// The same, and alone: ranks that end together have a `record` each. Waits for the others.
[[nodiscard]] Folder lockOwnRun(const std::filesystem::path& runDirectory);

/// With what SQLite keeps beside it.
void removeDatabase(const Folder& folder, const std::string& name);

/// Moves the database of a dead process into the run directory, in place of a dump made while it ran (which
/// holds no more). Throws Error; then it is where it was.
void bringDatabase(const LeftoverRings& leftover, const Folder& run);

/// Removes the rings of a dead process, those that it was killed while making, and their folders when these
/// are empty. Leaves what is not ours.
void removeRings(const LeftoverRings& leftover);

} // namespace ringside::trace
