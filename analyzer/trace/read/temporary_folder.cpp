// SPDX-License-Identifier: Apache-2.0
#include "trace/read/temporary_folder.h"

#include <ringside/error.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>

namespace ringside::trace {

namespace fs = std::filesystem;

namespace {

/// What is still there, for a signal to find: it knows of no object.
struct MadeFolders {
    std::mutex mutex;
    std::set<fs::path> paths;
};

MadeFolders& madeFolders()
{
    static MadeFolders folders;
    return folders;
}

} // namespace

TemporaryFolder::TemporaryFolder()
{
    const char* const given = std::getenv("TMPDIR");
    const fs::path parent = given != nullptr && *given != '\0' ? given : "/tmp";
    std::string name = (parent / "ringside-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
        throw Error(ErrorCode::Io,
                    "cannot make a temporary folder in " + parent.string() + ": " + std::strerror(errno),
                    "Set TMPDIR to a folder with space, or merge the run first.");
    }
    m_path = name;
    MadeFolders& made = madeFolders();
    const std::lock_guard lock(made.mutex);
    made.paths.insert(m_path);
}

TemporaryFolder::~TemporaryFolder()
{
    std::error_code ignored;
    fs::remove_all(m_path, ignored);
    MadeFolders& made = madeFolders();
    const std::lock_guard lock(made.mutex);
    made.paths.erase(m_path);
}

void removeTemporaryFolders()
{
    constexpr int kMostTries = 100; // somebody may just be making a file there
    MadeFolders& made = madeFolders();
    const std::lock_guard lock(made.mutex);
    for (const fs::path& path : made.paths) {
        std::error_code error;
        for (int tries = 0; tries < kMostTries && fs::exists(path, error); ++tries) {
            fs::remove_all(path, error);
        }
    }
}

} // namespace ringside::trace
