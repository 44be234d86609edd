// SPDX-License-Identifier: Apache-2.0
#include "cli/standard_streams.h"

#include <ringside/error.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

namespace ringside::cli {
namespace {

[[noreturn]] void failToWrite()
{
    throw Error(ErrorCode::Io, std::string("cannot write the result to stdout: ") + std::strerror(errno));
}

} // namespace

void occupyClosedStreams()
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
        if (fcntl(stream, F_GETFD) < 0 && errno == EBADF) {
            // open takes the lowest free number, which is this one.
            static_cast<void>(open("/dev/null", (stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC));
        }
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
