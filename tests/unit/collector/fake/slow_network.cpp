// SPDX-License-Identifier: Apache-2.0
// Preloaded before the collector: makes its run directory appear to be on NFS. After hangSlowNetwork(), calls
// of the collector to that file system do not return, as if the server were gone. With SLOW_DISK, a local
// disk hangs instead. Accesses to mappings of it would hang, too, which cannot be simulated, so no ring may
// be there.
#include "support/test_libc.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

std::atomic<bool> g_hangs{false};

bool isThere(const char* path)
{
    const char* const run = std::getenv("RINGSIDE_DIR");
    return run != nullptr && path != nullptr && std::strncmp(path, run, std::strlen(run)) == 0;
}

bool isThere(int file)
{
    char name[64];
    char path[4096] = {};
    std::snprintf(name, sizeof name, "/proc/thread-self/fd/%d", file);
    return readlink(name, path, sizeof path - 1) > 0 && isThere(path);
}

template <class Where>
void wait(Where where)
{
    while (g_hangs.load() && isThere(where)) {
        usleep(1000);
    }
}

template <class Function>
Function* next(const char* name)
{
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

} // namespace

#pragma GCC visibility push(default)
extern "C" {

void hangSlowNetwork(int hangs)
{
    g_hangs = hangs != 0;
}

int statfs(const char* path, struct statfs* status) noexcept
{
    const int result = next<int(const char*, struct statfs*)>("statfs")(path, status);
    if (isThere(path) && std::getenv("SLOW_DISK") == nullptr) {
        status->f_type = NFS_SUPER_MAGIC;
    }
    return result;
}

int open(const char* path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const mode_t mode = va_arg(list, mode_t);
    va_end(list);
    wait(path);
    return next<int(const char*, int, ...)>("open")(path, flags, mode);
}

int open64(const char* path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const mode_t mode = va_arg(list, mode_t);
    va_end(list);
    wait(path);
    return next<int(const char*, int, ...)>("open64")(path, flags, mode);
}

ssize_t write(int file, const void* data, size_t size)
{
    wait(file);
    return next<ssize_t(int, const void*, size_t)>("write")(file, data, size);
}

ssize_t pwrite64(int file, const void* data, size_t size, off64_t at)
{
    wait(file);
    return next<ssize_t(int, const void*, size_t, off64_t)>("pwrite64")(file, data, size, at);
}

int fsync(int file)
{
    wait(file);
    return next<int(int)>("fsync")(file);
}

int rename(const char* from, const char* to) noexcept
{
    wait(to);
    return next<int(const char*, const char*)>("rename")(from, to);
}

} // extern "C"
#pragma GCC visibility pop
