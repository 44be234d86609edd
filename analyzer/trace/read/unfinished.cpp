// SPDX-License-Identifier: Apache-2.0
#include "trace/read/unfinished.h"

#include <ringside/error.h>

#include <fcntl.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <utility>

namespace ringside::trace {

namespace fs = std::filesystem;

namespace {

/// Paths that still exist. Global, because a signal handler has no object.
struct UnfinishedPaths {
    std::mutex mutex;
    std::set<fs::path> paths;
};

UnfinishedPaths& unfinishedPaths()
{
    static UnfinishedPaths unfinished;
    return unfinished;
}

/// Also removes the files that SQLite puts beside a database.
void removeAll(const fs::path& path)
{
    std::error_code ignored;
    fs::remove_all(path, ignored);
    for (const char* const suffix : {"-journal", "-wal", "-shm"}) {
        fs::remove(path.string() + suffix, ignored);
    }
}

} // namespace

Unfinished::Unfinished(fs::path path) : m_path(std::move(path))
{
    UnfinishedPaths& unfinished = unfinishedPaths();
    const std::lock_guard lock(unfinished.mutex);
    unfinished.paths.insert(m_path);
}

Unfinished::Unfinished(fs::path path, const std::function<bool()>& make)
{
    UnfinishedPaths& unfinished = unfinishedPaths();
    const std::lock_guard lock(unfinished.mutex);
    if (make()) {
        m_path = std::move(path);
        unfinished.paths.insert(m_path);
    }
}

Unfinished::~Unfinished()
{
    if (!m_path.empty()) {
        removeAll(m_path);
        keep();
    }
}

Unfinished::Unfinished(Unfinished&& other) noexcept : m_path(std::exchange(other.m_path, {})) {}

Unfinished& Unfinished::operator=(Unfinished&& other) noexcept
{
    std::swap(m_path, other.m_path);
    return *this;
}

void Unfinished::keep()
{
    UnfinishedPaths& unfinished = unfinishedPaths();
    const std::lock_guard lock(unfinished.mutex);
    unfinished.paths.erase(m_path);
    m_path.clear();
}

Unfinished makeTemporaryFolder()
{
    const char* const given = std::getenv("TMPDIR");
    const fs::path parent = given != nullptr && *given != '\0' ? given : "/tmp";
    std::string name = (parent / "ringside-XXXXXX").string();
    // not registered for a moment, because the name is not known before
    if (mkdtemp(name.data()) == nullptr) {
        throw Error(ErrorCode::Io,
                    "cannot make a temporary folder in " + parent.string() + ": " + std::strerror(errno),
                    "Set TMPDIR to a folder with space, or merge the run first.");
    }
    return Unfinished(name);
}

void removeUnfinished()
{
    UnfinishedPaths& unfinished = unfinishedPaths();
    std::unique_lock(unfinished.mutex).release(); // never unlocked
    for (const fs::path& path : unfinished.paths) {
        // Threads still work there. After the rename they find no folder to create files in.
        const fs::path aside = path.string() + ".removed";
        // Another file may have that name.
        const bool moved = renameat2(AT_FDCWD, path.c_str(), AT_FDCWD, aside.c_str(), RENAME_NOREPLACE) == 0;
        removeAll(path);
        if (moved) {
            removeAll(aside);
        }
    }
}

} // namespace ringside::trace
