// SPDX-License-Identifier: Apache-2.0
// Files that recovery moves from outside the run directory. A note in the run directory may name any place,
// so each folder and file is examined before it is moved or removed: the collector must have created it for
// this user.
#pragma once
#include "trace/read/folder.h"

#include <ringside/trace/recover.h>

#include <string_view>

namespace ringside::trace {

/// Returns whether the name is ringside-UID-XXXXXX, as created by the collector's mkdtemp. The number is not
/// compared, because the same user may have another one in a container.
[[nodiscard]] bool isRingFolderName(std::string_view name);

/// Opens the run directory for writing. Throws Error if it does not belong to this user, or if everybody can
/// write into it, because a link could be placed there at any moment.
[[nodiscard]] Folder openOwnRun(const std::filesystem::path& runDirectory);

/// Does the same, exclusively, because ranks that end together each have a `record`. Waits until others have
/// finished.
[[nodiscard]] Folder lockOwnRun(const std::filesystem::path& runDirectory);

/// Removes a database together with the files that SQLite keeps beside it.
void removeDatabase(const Folder& folder, const std::string& name);

/// Moves the database of a dead process into the run directory, where it replaces an earlier dump (which
/// never contains more). Throws Error; the database is not moved then.
void bringDatabase(const LeftoverRings& leftover, const Folder& run);

/// Removes the rings of a dead process, unfinished rings, and their folders if they are empty. Files that the
/// collector did not create are kept.
void removeRings(const LeftoverRings& leftover);

} // namespace ringside::trace
