// SPDX-License-Identifier: Apache-2.0
#include "cli/standard_streams.h"

#include "trace/read/system_error.h"

#include <ringside/error.h>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>

namespace ringside::cli {
namespace {

[[noreturn]] void failToWrite()
{
    throw trace::systemError("cannot write the result to stdout", errno);
}

void occupyClosedStreams()
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
        if (fcntl(stream, F_GETFD) < 0 && errno == EBADF) {
            // open returns the lowest free number, which is this one.
            static_cast<void>(open("/dev/null", (stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC));
        }
    }
}

/// Writes without SIGPIPE, which would end the program: it is blocked, and consumed if it was not pending
/// before.
void writeQuietly(const char* text, size_t size)
{
    sigset_t pipe, before, pending;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    ssize_t count = 0;
    while (size > 0 && ((count = write(STDERR_FILENO, text, size)) > 0 || (count < 0 && errno == EINTR))) {
        text += count > 0 ? count : 0;
        size -= count > 0 ? static_cast<size_t>(count) : 0;
    }
    if (count < 0 && errno == EPIPE && sigismember(&pending, SIGPIPE) == 0) {
        constexpr timespec kNow{};
        sigtimedwait(&pipe, nullptr, &kNow);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ssize_t writeAlways(void*, const char* text, size_t size)
{
    writeQuietly(text, size);
    return static_cast<ssize_t>(size);
}

} // namespace

void prepareStandardStreams()
{
    occupyClosedStreams();
    cookie_io_functions_t functions{};
    functions.write = writeAlways;
    if (FILE* const stream = fopencookie(nullptr, "w", functions); stream != nullptr) {
        setvbuf(stream, nullptr, _IONBF, 0);
        stderr = stream;
    }
}

void printResult(std::string_view text)
{
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
        failToWrite();
    }
}

void flushResult()
{
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
        failToWrite();
    }
}

} // namespace ringside::cli
