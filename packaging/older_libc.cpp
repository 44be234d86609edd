// SPDX-License-Identifier: Apache-2.0
// What g++'s static libraries and ours expect of a C library that is newer than the floor (README.md in this
// folder), linked into each portable binary and into every collector, and visible in it alone.
#include "older_random.h"
#include "older_waits.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdint>

extern "C" {

/// glibc 2.32. libstdc++ leaves out atomic counting where it is true.
char __libc_single_threaded = 0; // NOLINT(bugprone-reserved-identifier,readability-identifier-naming)

/// glibc 2.35, documented in its manual; libgcc finds by it how to unwind. Its name is not glibc's, whose
/// newer headers declare it.
struct FoundObject {
    unsigned long long flags;
    void* mapStart;
    void* mapEnd;
    link_map* linkMap;
    void* ehFrame;
    unsigned long long reserved[7];
};

} // extern "C"

namespace {

struct ObjectSearch {
    std::uintptr_t address;
    FoundObject* found;
};

/// 1: the address lies in this object.
int findAround(dl_phdr_info* object, std::size_t /*bytes*/, void* data)
{
    const auto& search = *static_cast<ObjectSearch*>(data);
    std::uintptr_t begin = ~std::uintptr_t{0};
    std::uintptr_t end = 0;
    bool isAround = false;
    void* ehFrame = nullptr;
    for (int index = 0; index < object->dlpi_phnum; ++index) {
        const ElfW(Phdr)& part = object->dlpi_phdr[index];
        const std::uintptr_t first = object->dlpi_addr + part.p_vaddr;
        if (part.p_type == PT_LOAD) {
            begin = std::min(begin, first);
            end = std::max(end, first + part.p_memsz);
            isAround = isAround || search.address - first < part.p_memsz;
        } else if (part.p_type == PT_GNU_EH_FRAME) {
            ehFrame = reinterpret_cast<void*>(first);
        }
    }
    if (isAround) {
        *search.found = {0, reinterpret_cast<void*>(begin), reinterpret_cast<void*>(end), nullptr, ehFrame,
                         {}};
    }
    return isAround ? 1 : 0;
}

} // namespace

extern "C" {

int findObject(void* address, FoundObject* found) __asm__("_dl_find_object");
int findObject(void* address, FoundObject* found)
{
    ObjectSearch search{reinterpret_cast<std::uintptr_t>(address), found};
    return dl_iterate_phdr(&findAround, &search) == 1 && found->ehFrame != nullptr ? 0 : -1;
}

/// glibc 2.25.
ssize_t getrandom(void* buffer, size_t bytes, unsigned flags)
{
    return ringside::older::randomBytes(buffer, bytes, flags);
}

/// glibc 2.25; std::random_device asks it.
int getentropy(void* buffer, size_t bytes)
{
    return ringside::older::fillWithRandom(buffer, bytes) ? 0 : -1;
}

/// glibc 2.36; std::random_device asks it.
std::uint32_t arc4random() noexcept
{
    std::uint32_t number = 0;
    ringside::older::fillWithRandom(&number, sizeof number);
    return number;
}

/// glibc 2.28; static libraries that were built for large files ask it. Here fcntl() is the same.
int fcntl64(int descriptor, int command, ...)
{
    std::va_list arguments;
    va_start(arguments, command);
    void* const argument = va_arg(arguments, void*);
    va_end(arguments);
    return fcntl(descriptor, command, argument);
}

/// glibc 2.28.
int renameat2(int oldFolder, const char* oldPath, int newFolder, const char* newPath, unsigned flags) noexcept
{
    return static_cast<int>(syscall(SYS_renameat2, oldFolder, oldPath, newFolder, newPath, flags));
}

/// glibc 2.30.
pid_t gettid() noexcept
{
    return static_cast<pid_t>(syscall(SYS_gettid));
}

} // extern "C"

namespace {

/// Of the C library that runs, which may be newer. Null: it is not.
template <class Function>
Function* newer(const char* name)
{
    return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

} // namespace

extern "C" {

/// glibc 2.30.
int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until)
{
    static auto* const real = newer<int(sem_t*, clockid_t, const timespec*)>("sem_clockwait");
    if (real != nullptr) {
        return real(semaphore, clock, until);
    }
    return ringside::older::waitInSlices(semaphore, clock, *until);
}

/// glibc 2.30.
int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* until) noexcept
{
    static auto* const real =
        newer<int(pthread_mutex_t*, clockid_t, const timespec*)>("pthread_mutex_clocklock");
    if (real != nullptr) {
        return real(mutex, clock, until);
    }
    return ringside::older::lockByTrying(mutex, clock, *until);
}

// glibc 2.29 has versions of these that set no errno by themselves, 2.23 one of lgamma that leaves signgam
// alone; results are the same.
#if defined(__aarch64__)
#define RINGSIDE_FIRST_GLIBC "GLIBC_2.17"
#else
#define RINGSIDE_FIRST_GLIBC "GLIBC_2.2.5"
#endif
#define RINGSIDE_OLDER_VERSION(name, parameters, arguments)                                                  \
    double older_##name parameters;                                                                          \
    __asm__(".symver older_" #name "," #name "@" RINGSIDE_FIRST_GLIBC);                                      \
    double name parameters                                                                                   \
    {                                                                                                        \
        return older_##name arguments;                                                                       \
    }
RINGSIDE_OLDER_VERSION(exp, (double x), (x))
RINGSIDE_OLDER_VERSION(exp2, (double x), (x))
RINGSIDE_OLDER_VERSION(lgamma, (double x), (x))
RINGSIDE_OLDER_VERSION(log, (double x), (x))
RINGSIDE_OLDER_VERSION(pow, (double x, double y), (x, y))

} // extern "C"
