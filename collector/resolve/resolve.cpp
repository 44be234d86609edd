// SPDX-License-Identifier: Apache-2.0
#include "resolve/resolve.h"

#include "record/cancellation.h"
#include "record/message.h"

#include <dlfcn.h>

#include <array>
#include <cstdio>

namespace ringside::collector {
namespace {

struct Names {
    const char* anchor; ///< function that every version of the library has, and that is not wrapped
    const char* file;   ///< prefix of the library's file name
};

Names namesOf(Library library)
{
    switch (library) {
    case Library::Nccl:
        return {"ncclGetVersion", "libnccl.so"};
    case Library::CudaRuntime:
        return {"cudaGetDevice", "libcudart"};
    case Library::Cupti:
        break;
    }
    return {"cuptiGetVersion", "libcupti.so"};
}

// keeps the object loaded: the program may close it, but the address of its function is kept here
void keepLoaded(const void* function)
{
    Dl_info info{};
    if (dladdr(function, &info) != 0 && info.dli_fname != nullptr) {
        dlopen(info.dli_fname, RTLD_NOLOAD | RTLD_LAZY);
    }
}

void* findNext(const char* name)
{
    // Kept in a variable: as a tail call, RTLD_NEXT would start after the caller's object, not ours.
    void* volatile found = dlsym(RTLD_NEXT, name);
    return found;
}

/// Searches the object around `caller` and its dependencies. The global scope is searched by RTLD_NEXT.
void* findBeside(const char* name, const LoadedObject& object)
{
    void* const handle = object.path[0] != '\0' ? dlopen(object.path, RTLD_NOLOAD | RTLD_LAZY) : nullptr;
    if (handle == nullptr) {
        return nullptr;
    }
    void* const found = dlsym(handle, name);
    dlclose(handle);
    return found != nullptr && isDefinition(found) ? found : nullptr;
}

/// Returns the function `name`, or null if the copy of the library that is found first does not have it:
/// another copy would not know this copy's communicators. In the global scope the function must be in
/// the library itself, because a preloaded tool may define some of its functions too.
Resolved search(Library library, const char* name, const void* caller)
{
    if (void* const next = findNext(name); next != nullptr) {
        return {next, true};
    }
    const auto [anchor, file] = namesOf(library);
    if (const void* const next = findNext(anchor); next != nullptr && isInFile(next, file)) {
        return {};
    }
    const LoadedObject object = objectAround(caller);
    if (void* const own = findBeside(name, object); own != nullptr || findBeside(anchor, object) != nullptr) {
        return {own, false};
    }
    return {findDefinition(name, file), false};
}

// never freed and never reused, because readers of a chain are not registered
FunctionOfCallers* newEntry()
{
    static constinit std::array<FunctionOfCallers, 1024> entries{};
    static constinit std::atomic<std::size_t> used{0};
    const std::size_t index = used.fetch_add(1, std::memory_order_relaxed);
    return index < entries.size() ? &entries[index] : nullptr;
}

/// Code generated at run time is in no object. Its page identifies it.
AddressRange callersAround(const void* caller)
{
    constexpr std::size_t kPage = 4096;
    const AddressRange object = objectAround(caller).range;
    return object.bytes != 0 ? object
                             : AddressRange{reinterpret_cast<std::uintptr_t>(caller) & ~(kPage - 1), kPage};
}

} // namespace

Resolved resolve(Library library, const char* name, const void* caller)
{
    const ErrnoKeeper keeper;
    const CancellationHeldOff uncancelled;
    Resolved found = search(library, name, caller);
    if (found.function == nullptr && library == Library::Nccl) {
        char twin[128];
        std::snprintf(twin, sizeof twin, "p%s", name);
        found = search(library, twin, caller);
    }
    if (found.function != nullptr) {
        keepLoaded(found.function);
    }
    return found;
}

void* resolveAny(Library library, const char* name)
{
    return resolve(library, name, nullptr).function;
}

void sayMissing(const char* name)
{
    say(Talk::Always, "%s: no loaded library has it, the call returns \"not supported\"", name);
}

void RealFunction::sayMissingOnce()
{
    if (!m_saidMissing.exchange(true)) {
        sayMissing(m_name);
    }
}

void* RealFunction::known(const void* caller) const
{
    for (const FunctionOfCallers* each = m_ofCallers.load(std::memory_order_acquire); each != nullptr;
         each = each->next) {
        if (each->callers.contains(caller)) {
            return each->function;
        }
    }
    return m_ofOthers.load(std::memory_order_acquire);
}

void* RealFunction::findFor(const void* caller)
{
    if (void* const function = known(caller); function != nullptr) {
        return function;
    }
    const Resolved found = resolve(m_library, m_name, caller);
    if (found.function != nullptr) {
        keep(found, caller);
    }
    return found.function;
}

// Libraries that enter the global scope later do not change earlier results.
void RealFunction::keep(const Resolved& found, const void* caller)
{
    const FunctionOfCallers* first = m_ofCallers.load(std::memory_order_acquire);
    int callers = 0;
    for (const FunctionOfCallers* each = first; each != nullptr; each = each->next) {
        ++callers;
    }
    if (found.forEveryone && callers == 0) {
        m_everyones.store(found.function, std::memory_order_release);
        return;
    }
    FunctionOfCallers* const entry = callers < kMostCallers ? newEntry() : nullptr;
    if (entry == nullptr) {
        m_ofOthers.store(found.function, std::memory_order_release);
        return;
    }
    entry->callers = callersAround(caller);
    entry->function = found.function;
    do {
        entry->next = first;
    } while (!m_ofCallers.compare_exchange_weak(first, entry, std::memory_order_release,
                                                std::memory_order_acquire));
}

} // namespace ringside::collector
