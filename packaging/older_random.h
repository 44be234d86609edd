// SPDX-License-Identifier: Apache-2.0
// Random bytes of the kernel, with what glibc 2.17 has. Kernels before 3.17 have no call for them.
#pragma once
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace ringside::older {

/// As getrandom(): how many bytes were written, -1 with errno otherwise.
inline ssize_t randomBytes(void* buffer, std::size_t bytes, unsigned flags)
{
    const long got = syscall(SYS_getrandom, buffer, bytes, flags);
    if (got >= 0 || errno != ENOSYS) {
        return got;
    }
    const int source = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    if (source < 0) {
        return -1;
    }
    const ssize_t read = ::read(source, buffer, bytes);
    const int error = errno;
    close(source);
    errno = error;
    return read;
}

/// All of them, however often a signal interrupts. False with errno: the kernel gives none.
inline bool fillWithRandom(void* buffer, std::size_t bytes)
{
    auto* next = static_cast<char*>(buffer);
    while (bytes > 0) {
        const ssize_t got = randomBytes(next, bytes, 0);
        if (got < 0 && errno != EINTR) {
            return false;
        }
        if (got > 0) {
            next += got;
            bytes -= static_cast<std::size_t>(got);
        }
    }
    return true;
}

} // namespace ringside::older
