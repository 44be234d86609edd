// SPDX-License-Identifier: Apache-2.0
#include "record/message.h"

#include "record/cancellation.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace ringside::collector {
namespace {

struct stat g_stderr {};
bool g_hasStderr = false;

// Done before the first message and before the program can have replaced stderr.
constexpr int kFirst = 101;
__attribute__((constructor(kFirst))) void rememberStderr()
{
    g_hasStderr = fstat(STDERR_FILENO, &g_stderr) == 0;
}

bool isStderrStillThere()
{
    struct stat now {};
    return g_hasStderr && fstat(STDERR_FILENO, &now) == 0 && now.st_dev == g_stderr.st_dev &&
           now.st_ino == g_stderr.st_ino && now.st_rdev == g_stderr.st_rdev;
}

} // namespace

void say(Talk talk, const char* format, ...)
{
    const ErrnoKeeper keeper;
    if ((talk == Talk::IfAsked && std::getenv("RINGSIDE_LOG") == nullptr) || !isStderrStillThere()) {
        return;
    }
    const CancellationHeldOff uncancelled;
    char line[500];
    int length = std::snprintf(line, sizeof line, "ringside[pid %d]: ", static_cast<int>(getpid()));
    va_list arguments;
    va_start(arguments, format);
    length +=
        std::vsnprintf(line + length, sizeof line - static_cast<std::size_t>(length) - 1, format, arguments);
    va_end(arguments);
    length = std::min(length, static_cast<int>(sizeof line) - 2);
    // Reasons come from SQLite and other tools: line breaks are removed, so that a message is one line.
    std::replace_if(
        line, line + length, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    line[length] = '\n';
    // A closed stderr is ignored.
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line, static_cast<std::size_t>(length) + 1);
}

ErrnoKeeper::ErrnoKeeper() : m_errno(errno) {}

ErrnoKeeper::~ErrnoKeeper()
{
    errno = m_errno;
}

} // namespace ringside::collector
