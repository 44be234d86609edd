// SPDX-License-Identifier: Apache-2.0
// Preloaded before the collector: system calls of the collector fail at random, with a full or broken disk,
// or by writing less than requested. Calls of the program are not affected. Repeatable by FAULT_SEED;
// FAULT_PER_MILLE of the calls fail.
#include "support/test_libc.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

std::uint64_t variable(const char* name)
{
    const char* value = std::getenv(name);
    return value != nullptr ? std::strtoull(value, nullptr, 10) : 0;
}

// A counter through a multiply-xorshift: the same faults for the same order of calls.
std::uint64_t draw()
{
    static std::atomic<std::uint64_t> calls{variable("FAULT_SEED") << 32};
    std::uint64_t x = calls.fetch_add(1) * 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 31)) * 0xBF58476D1CE4E5B9ULL;
    return x ^ (x >> 29);
}

bool isCollector(const void* caller)
{
    Dl_info info{};
    return dladdr(caller, &info) != 0 && info.dli_fname != nullptr &&
           std::strstr(info.dli_fname, "libringside_collector") != nullptr;
}

/// 0, or the error that this call of the collector gets.
int faultFor(const void* caller)
{
    static const std::uint64_t perMille = variable("FAULT_PER_MILLE");
    if (!isCollector(caller)) {
        return 0;
    }
    const std::uint64_t drawn = draw();
    if (drawn % 1000 >= perMille) {
        return 0;
    }
    return (drawn >> 32) % 2 == 0 ? ENOSPC : EIO;
}

template <class Function>
Function* next(const char* name)
{
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool isStderr(const char* path)
{
    return std::strcmp(path, "/proc/self/fd/2") == 0;
}

mode_t modeOf(int flags, va_list arguments)
{
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

} // namespace

// What libc offers under two names each is one function here. Nothing fails by which the collector finds out
// whether it may write to stderr, since the tests read what it says: `left` tells these calls.
#define FAULTY(result, failed, name, parameters, arguments)                                                  \
    FAULTY_BUT(false, result, failed, name, parameters, arguments)
#define FAULTY_BUT(left, result, failed, name, parameters, arguments)                                        \
    extern "C" __attribute__((visibility("default"))) result name parameters                                 \
    {                                                                                                        \
        static auto* const real = next<result parameters>(#name);                                            \
        const int fault = (left) ? 0 : faultFor(__builtin_return_address(0));                                \
        if (fault != 0) {                                                                                    \
            errno = fault;                                                                                   \
            return failed;                                                                                   \
        }                                                                                                    \
        return real arguments;                                                                               \
    }
/// A write may also be cut short.
#define FAULTY_WRITE(name, parameters, cut, arguments)                                                       \
    extern "C" __attribute__((visibility("default"))) ssize_t name parameters                                \
    {                                                                                                        \
        static auto* const real = next<ssize_t parameters>(#name);                                           \
        const int fault = file == STDERR_FILENO ? 0 : faultFor(__builtin_return_address(0));                 \
        if (fault == EIO && size > 1) {                                                                      \
            return real cut;                                                                                 \
        }                                                                                                    \
        if (fault != 0) {                                                                                    \
            errno = fault;                                                                                   \
            return -1;                                                                                       \
        }                                                                                                    \
        return real arguments;                                                                               \
    }
/// x86-64 passes the longest list like a shorter one.
#define FAULTY_VARIADIC(left, result, failed, name, parameters, arguments)                                   \
    extern "C" __attribute__((visibility("default"))) result faulty_##name parameters __asm__(#name);        \
    result faulty_##name parameters                                                                          \
    {                                                                                                        \
        static auto* const real = next<result parameters>(#name);                                            \
        const int fault = (left) ? 0 : faultFor(__builtin_return_address(0));                                \
        if (fault != 0) {                                                                                    \
            errno = fault;                                                                                   \
            return failed;                                                                                   \
        }                                                                                                    \
        return real arguments;                                                                               \
    }
#define FAULTY_OPEN(name)                                                                                    \
    extern "C" __attribute__((visibility("default"))) int name(const char* path, int flags, ...)             \
    {                                                                                                        \
        static auto* const real = next<int(const char*, int, ...)>(#name);                                   \
        va_list arguments;                                                                                   \
        va_start(arguments, flags);                                                                          \
        const mode_t mode = modeOf(flags, arguments);                                                        \
        va_end(arguments);                                                                                   \
        const int fault = faultFor(__builtin_return_address(0));                                             \
        if (fault != 0) {                                                                                    \
            errno = fault;                                                                                   \
            return -1;                                                                                       \
        }                                                                                                    \
        return real(path, flags, mode);                                                                      \
    }

FAULTY_WRITE(write, (int file, const void* data, size_t size), (file, data, size / 2), (file, data, size))
FAULTY_WRITE(pwrite, (int file, const void* data, size_t size, off_t at), (file, data, size / 2, at),
             (file, data, size, at))
FAULTY_WRITE(pwrite64, (int file, const void* data, size_t size, off64_t at), (file, data, size / 2, at),
             (file, data, size, at))
FAULTY_OPEN(open)
FAULTY_OPEN(open64)
FAULTY(int, fault, posix_fallocate, (int file, off_t at, off_t size), (file, at, size))
FAULTY(int, fault, posix_fallocate64, (int file, off64_t at, off64_t size), (file, at, size))
FAULTY(int, -1, ftruncate, (int file, off_t size), (file, size))
FAULTY(int, -1, ftruncate64, (int file, off64_t size), (file, size))
FAULTY(int, -1, mkdir, (const char* path, mode_t mode), (path, mode))
FAULTY(int, -1, rename, (const char* from, const char* to), (from, to))
FAULTY(int, -1, unlink, (const char* path), (path))
FAULTY(void*, MAP_FAILED, mmap, (void* at, size_t size, int access, int flags, int file, off_t offset),
       (at, size, access, flags, file, offset))
FAULTY(void*, MAP_FAILED, mmap64, (void* at, size_t size, int access, int flags, int file, off64_t offset),
       (at, size, access, flags, file, offset))
FAULTY_VARIADIC(false, void*, MAP_FAILED, mremap,
                (void* at, size_t size, size_t newSize, int flags, void* newAt),
                (at, size, newSize, flags, newAt))
FAULTY(int, -1, munmap, (void* at, size_t size), (at, size))
FAULTY(ssize_t, -1, read, (int file, void* data, size_t size), (file, data, size))
FAULTY(ssize_t, -1, pread, (int file, void* data, size_t size, off_t at), (file, data, size, at))
FAULTY(ssize_t, -1, pread64, (int file, void* data, size_t size, off64_t at), (file, data, size, at))
FAULTY(ssize_t, -1, sendfile, (int to, int from, off_t* at, size_t size), (to, from, at, size))
FAULTY(ssize_t, -1, readlink, (const char* path, char* text, size_t size), (path, text, size))
FAULTY_VARIADIC(false, int, -1, openat, (int folder, const char* path, int flags, mode_t mode),
                (folder, path, flags, mode))
FAULTY(int, -1, access, (const char* path, int mode), (path, mode))
FAULTY(int, -1, dup2, (int from, int to), (from, to))
FAULTY(int, -1, fchmod, (int file, mode_t mode), (file, mode))
FAULTY_VARIADIC(file == STDERR_FILENO, int, -1, fcntl, (int file, int command, void* argument),
                (file, command, argument))
FAULTY(int, -1, fdatasync, (int file), (file))
FAULTY_VARIADIC(false, int, -1, ioctl, (int file, unsigned long request, void* argument),
                (file, request, argument))
FAULTY(int, -1, linkat, (int fromFolder, const char* from, int toFolder, const char* to, int flags),
       (fromFolder, from, toFolder, to, flags))
FAULTY(off64_t, -1, lseek64, (int file, off64_t at, int whence), (file, at, whence))
FAULTY(int, -1, rmdir, (const char* path), (path))
FAULTY(int, -1, unshare, (int flags), (flags))
FAULTY_BUT(file == STDERR_FILENO, ssize_t, -1, writev, (int file, const iovec* parts, int count),
           (file, parts, count))
FAULTY(int, -1, fchown, (int file, uid_t owner, gid_t group), (file, owner, group))
FAULTY_VARIADIC(false, int, -1, prctl, (int option, void* a, void* b, void* c, void* d), (option, a, b, c, d))
FAULTY(int, -1, poll, (pollfd * files, nfds_t count, int milliseconds), (files, count, milliseconds))
// What only reads what there is.
FAULTY_BUT(isStderr(path), int, -1, stat, (const char* path, struct stat* found), (path, found))
FAULTY_BUT(isStderr(path), int, -1, stat64, (const char* path, struct stat64* found), (path, found))
FAULTY(int, -1, lstat, (const char* path, struct stat* found), (path, found))
FAULTY(int, -1, lstat64, (const char* path, struct stat64* found), (path, found))
FAULTY_BUT(file == STDERR_FILENO, int, -1, fstat, (int file, struct stat* found), (file, found))
FAULTY_BUT(file == STDERR_FILENO, int, -1, fstat64, (int file, struct stat64* found), (file, found))
FAULTY(int, -1, fstatat, (int folder, const char* path, struct stat* found, int flags),
       (folder, path, found, flags))
FAULTY(int, -1, statfs, (const char* path, struct statfs* found), (path, found))
FAULTY(int, -1, statvfs, (const char* path, struct statvfs* found), (path, found))
FAULTY(DIR*, nullptr, opendir, (const char* path), (path))
FAULTY(DIR*, nullptr, fdopendir, (int file), (file))
FAULTY(FILE*, nullptr, fopen64, (const char* path, const char* mode), (path, mode))
FAULTY(FILE*, nullptr, fdopen, (int file, const char* mode), (file, mode))
FAULTY(char*, nullptr, realpath, (const char* path, char* text), (path, text))
FAULTY(ssize_t, -1, readlinkat, (int folder, const char* path, char* text, size_t size),
       (folder, path, text, size))
FAULTY(int, -1, getrusage, (__rusage_who_t who, struct rusage* used), (who, used))
FAULTY(int, -1, getrlimit, (__rlimit_resource_t what, struct rlimit* limit), (what, limit))
FAULTY(int, -1, gethostname, (char* name, size_t size), (name, size))
// Netlink, and the memory of others.
FAULTY(int, -1, socket, (int domain, int type, int protocol), (domain, type, protocol))
FAULTY(int, -1, setsockopt, (int file, int level, int name, const void* value, socklen_t size),
       (file, level, name, value, size))
FAULTY(ssize_t, -1, send, (int file, const void* data, size_t size, int flags), (file, data, size, flags))
FAULTY(ssize_t, -1, recv, (int file, void* data, size_t size, int flags), (file, data, size, flags))
FAULTY(ssize_t, -1, recvfrom,
       (int file, void* data, size_t size, int flags, struct sockaddr* from, socklen_t* fromSize),
       (file, data, size, flags, from, fromSize))
FAULTY(ssize_t, -1, process_vm_readv,
       (pid_t process, const iovec* own, unsigned long ownCount, const iovec* other, unsigned long otherCount,
        unsigned long flags),
       (process, own, ownCount, other, otherCount, flags))
FAULTY(int, EAGAIN, pthread_create,
       (pthread_t * thread, const pthread_attr_t* attributes, void* (*run)(void*), void* argument),
       (thread, attributes, run, argument))
