// SPDX-License-Identifier: Apache-2.0
// A program that exports functions of the C library itself, as tools, simulators and statically linked run
// times do. The loader gives them to every library. harm_own_functions WHICH: this one misbehaves.
#include "program.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <ctime>

namespace {

const char* g_which = "";

bool isOwn(const char* name)
{
    return std::strcmp(g_which, name) == 0;
}

} // namespace

// Our own declarations would differ from the headers' in attributes only.
#pragma GCC visibility push(default)
extern "C" {

pid_t getpid() noexcept
{
    return isOwn("getpid") ? 1 : static_cast<pid_t>(syscall(SYS_getpid));
}

uid_t getuid() noexcept
{
    return isOwn("getuid") ? 12345 : static_cast<uid_t>(syscall(SYS_getuid));
}

/// Takes everything and writes nothing.
ssize_t write(int file, const void* bytes, size_t count)
{
    return isOwn("write") ? static_cast<ssize_t>(count) : syscall(SYS_write, file, bytes, count);
}

ssize_t read(int file, void* bytes, size_t count)
{
    return isOwn("read") ? 0 : syscall(SYS_read, file, bytes, count);
}

int close(int file)
{
    return isOwn("close") ? 0 : static_cast<int>(syscall(SYS_close, file));
}

void* mmap(void* address, size_t bytes, int protection, int flags, int file, off_t offset) noexcept
{
    if (isOwn("mmap")) {
        errno = ENOSYS;
        return MAP_FAILED;
    }
    return reinterpret_cast<void*>(syscall(SYS_mmap, address, bytes, protection, flags, file, offset));
}

void* mmap64(void* address, size_t bytes, int protection, int flags, int file, off_t offset) noexcept
{
    return mmap(address, bytes, protection, flags, file, offset);
}

int open(const char* path, int flags, ...)
{
    if (isOwn("open")) {
        errno = ENOSYS;
        return -1;
    }
    va_list list;
    va_start(list, flags);
    const auto mode = va_arg(list, mode_t);
    va_end(list);
    return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

int unlink(const char* path) noexcept
{
    return isOwn("unlink") ? 0 : static_cast<int>(syscall(SYS_unlink, path));
}

/// frozen_clock: it stands. jumping_clock: each reading is an hour earlier than the one before.
int clock_gettime(clockid_t clock, timespec* time) noexcept
{
    if (isOwn("frozen_clock")) {
        *time = {1000, 0};
        return 0;
    }
    const auto result = static_cast<int>(syscall(SYS_clock_gettime, clock, time));
    if (isOwn("jumping_clock")) {
        static time_t back = 0;
        time->tv_sec -= back += 3600;
    }
    return result;
}

} // extern "C"
#pragma GCC visibility pop

int main(int count, char** words)
{
    using namespace ringside::harm;
    if (count != 2) {
        return 2;
    }
    int failed = 0;
    g_which = words[1];
    for (int i = 0; i < 200; ++i) {
        failed += callCuda() ? 0 : 1;
    }
    const timespec moment{0, 400'000'000};
    nanosleep(&moment, nullptr);
    failed += callCuda() ? 0 : 1;
    std::printf("%d calls failed\n", failed);
    std::fflush(stdout);
    g_which = "";
    return failed;
}
