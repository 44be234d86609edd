// SPDX-License-Identifier: Apache-2.0
#include "record/new_file.h"

#include "record/message.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

namespace ringside::collector {
namespace {

constexpr mode_t kPrivateFile = 0600;

} // namespace

NewFile::NewFile(const std::string& directory)
    : m_descriptor(open(directory.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, kPrivateFile))
{}

NewFile::NewFile(const std::string& path, const char* ending)
    : m_unfinished(path + ending)
    , m_descriptor(open(m_unfinished.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kPrivateFile))
{}

// A file that got its final name has lost its first one.
NewFile::~NewFile()
{
    const ErrnoKeeper keeper;
    if (m_descriptor >= 0) {
        if (!m_unfinished.empty()) {
            unlink(m_unfinished.c_str());
        }
        close(m_descriptor);
    }
}

// Links through /proc, as open(2) describes: AT_EMPTY_PATH needs a capability. The descriptor belongs to
// this thread's table.
bool NewFile::give(const std::string& path) const
{
    if (!m_unfinished.empty()) {
        return rename(m_unfinished.c_str(), path.c_str()) == 0;
    }
    const std::string self = "/proc/thread-self/fd/" + std::to_string(m_descriptor);
    return linkat(AT_FDCWD, self.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

} // namespace ringside::collector
