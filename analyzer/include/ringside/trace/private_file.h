// SPDX-License-Identifier: Apache-2.0
// Files of a run are their owner's alone, also where somebody else made the run directory for all to read:
// names, paths and settings of a job are nobody's business. The mode is given when a file is made, since the
// umask is the program's. SQLite gives its log the mode of the database.
#pragma once
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

namespace ringside::trace {

/// Makes an empty file that its owner alone may read and write. False, with errno, where it cannot or where
/// there is one.
[[nodiscard]] inline bool makePrivateFile(const std::filesystem::path& path)
{
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return file >= 0 && close(file) == 0;
}

} // namespace ringside::trace
