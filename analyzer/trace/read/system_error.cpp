// SPDX-License-Identifier: Apache-2.0
#include "trace/read/system_error.h"

#include <cerrno>
#include <cstring>

namespace ringside::trace {
namespace {

const char* adviceFor(int number)
{
    switch (number) {
    case ENOENT:
    case ENOTDIR:
        return "Check the path.";
    case EACCES:
    case EPERM:
        return "Check who owns it and its permissions, and those of the folders above it.";
    case EROFS:
        return "That file system is read-only: give a place on another one.";
    case ENOSPC:
    case EDQUOT:
        return "Free some space there, or give a place on another file system.";
    case EMFILE:
    case ENFILE:
        return "Raise the limit of open files (ulimit -n).";
    case EAGAIN:
    case ENOMEM:
        return "Memory or processes have run out (ulimit -u, the limits of the container): try again with "
               "less beside it.";
    default:
        return "";
    }
}

} // namespace

Error systemError(const std::string& what, int number)
{
    return {ErrorCode::Io, what + ": " + std::strerror(number), adviceFor(number)};
}

} // namespace ringside::trace
