// SPDX-License-Identifier: Apache-2.0
// Preloaded before the collector: the collector's own allocations fail, the program's do not. NO_MEMORY_AFTER
// of them succeed, the NO_MEMORY_FOR next ones fail. Only those of the thread NO_MEMORY_THREAD count where
// that is set.
#include <link.h>
#include <sys/prctl.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

// glibc's own names of what is replaced here; asking the loader for them would allocate.
extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
}

namespace {

struct Range {
    std::atomic<std::uintptr_t> begin{0};
    std::atomic<std::uintptr_t> end{0};
};
constinit Range g_collector; ///< where its code lies; empty until it is loaded

int noteCollector(dl_phdr_info* object, std::size_t /*bytes*/, void* /*unused*/)
{
    if (std::strstr(object->dlpi_name, "libringside_collector") == nullptr) {
        return 0;
    }
    for (int index = 0; index < object->dlpi_phnum; ++index) {
        const ElfW(Phdr)& part = object->dlpi_phdr[index];
        if (part.p_type == PT_LOAD && (part.p_flags & PF_X) != 0) {
            g_collector.begin = object->dlpi_addr + part.p_vaddr;
            g_collector.end = object->dlpi_addr + part.p_vaddr + part.p_memsz;
        }
    }
    return 1;
}

long variable(const char* name)
{
    const char* value = std::getenv(name);
    return value != nullptr ? std::atol(value) : LONG_MAX;
}

bool isChosenThread()
{
    static const char* const chosen = std::getenv("NO_MEMORY_THREAD");
    char name[16] = {};
    return chosen == nullptr || (prctl(PR_GET_NAME, name) == 0 && std::strcmp(name, chosen) == 0);
}

bool fails(const void* caller)
{
    if (g_collector.end == 0) {
        dl_iterate_phdr(&noteCollector, nullptr);
    }
    const auto address = reinterpret_cast<std::uintptr_t>(caller);
    if (address < g_collector.begin || address >= g_collector.end || !isChosenThread()) {
        return false;
    }
    static std::atomic<long> allocations{0};
    const long before = allocations.fetch_add(1);
    static const long after = variable("NO_MEMORY_AFTER");
    static const long count = variable("NO_MEMORY_FOR");
    if (before < after || before - after >= count) {
        return false;
    }
    errno = ENOMEM;
    return true;
}

} // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED void* malloc(std::size_t bytes)
{
    return fails(__builtin_return_address(0)) ? nullptr : __libc_malloc(bytes);
}

EXPORTED void* calloc(std::size_t count, std::size_t bytes)
{
    return fails(__builtin_return_address(0)) ? nullptr : __libc_calloc(count, bytes);
}

EXPORTED void* realloc(void* memory, std::size_t bytes)
{
    return fails(__builtin_return_address(0)) ? nullptr : __libc_realloc(memory, bytes);
}

EXPORTED void* aligned_alloc(std::size_t alignment, std::size_t bytes)
{
    return fails(__builtin_return_address(0)) ? nullptr : __libc_memalign(alignment, bytes);
}

EXPORTED int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes)
{
    void* const allocated = fails(__builtin_return_address(0)) ? nullptr : __libc_memalign(alignment, bytes);
    *memory = allocated != nullptr ? allocated : *memory;
    return allocated != nullptr ? 0 : ENOMEM;
}
