// SPDX-License-Identifier: Apache-2.0
// Files of a run belong to their owner alone, even in a run directory that others can read: names, paths and
// settings of a job are confidential. The mode is given when a file is created, because the umask belongs to
// the program. SQLite gives its log the mode of the database.
#pragma once
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

namespace ringside::trace {

/// Creates an empty file that only its owner can read and write. Returns false, with errno, if it exists or
/// cannot be created.
[[nodiscard]] inline bool makePrivateFile(const std::filesystem::path& path)
{
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return file >= 0 && close(file) == 0;
}

} // namespace ringside::trace
