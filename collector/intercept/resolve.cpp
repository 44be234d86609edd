// SPDX-License-Identifier: Apache-2.0
#include "intercept/resolve.h"

#include "record/cancellation.h"
#include "record/message.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstring>

namespace ringside::collector {
namespace {

struct Search {
    const char* prefix; ///< of the file's base name
    char path[4096];
};

int matchLibrary(dl_phdr_info* info, std::size_t, void* data)
{
    auto* search = static_cast<Search*>(data);
    const char* slash = std::strrchr(info->dlpi_name, '/');
    const char* file = slash != nullptr ? slash + 1 : info->dlpi_name;
    if (std::strncmp(file, search->prefix, std::strlen(search->prefix)) != 0) {
        return 0;
    }
    std::snprintf(search->path, sizeof search->path, "%s", info->dlpi_name);
    return 1;
}

// A library that the process loaded itself, wherever it lies. The handle is kept: the program may close its
// own.
void* loadedLibrary(Library library)
{
    Search search{library == Library::Nccl ? "libnccl.so" : "libcudart", {}};
    if (dl_iterate_phdr(&matchLibrary, &search) == 0) {
        return nullptr;
    }
    return dlopen(search.path, RTLD_NOLOAD | RTLD_LAZY);
}

// The program may close what it opened, but we keep the function's address.
void keepLoaded(void* function)
{
    Dl_info info{};
    if (dladdr(function, &info) != 0 && info.dli_fname != nullptr) {
        dlopen(info.dli_fname, RTLD_NOLOAD | RTLD_LAZY);
    }
}

} // namespace

void* resolve(Library library, const char* name)
{
    const ErrnoKeeper keeper;
    const CancellationHeldOff uncancelled;
    // Kept in a variable: as a tail call, RTLD_NEXT would start after the caller's object, not ours.
    void* volatile found = dlsym(RTLD_NEXT, name);
    if (found != nullptr) {
        keepLoaded(found);
    } else {
        if (void* handle = loadedLibrary(library); handle != nullptr) {
            found = dlsym(handle, name);
            if (found == nullptr && library == Library::Nccl) {
                char twin[128];
                std::snprintf(twin, sizeof twin, "p%s", name);
                found = dlsym(handle, twin);
            }
        }
    }
    return found;
}

void sayMissing(const char* name)
{
    say(Talk::Always, "%s: no loaded library has it, the caller is told that it is not supported", name);
}

} // namespace ringside::collector
