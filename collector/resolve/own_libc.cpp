// SPDX-License-Identifier: Apache-2.0
// The collector's calls of the C library reach the C library. Bound by name they would reach the first object
// that exports the name: a program may have functions of its own called write, mmap or getpid, and a tool may
// be preloaded that stops the clock or renames files. The linker replaces each call of a function of
// own_libc.def by one of its __wrap_ function.
#include <dlfcn.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <atomic>
#include <cstddef>
#include <ctime>

/// Tests in which system calls fail, hang or tell another time define this in a library of theirs: what the
/// collector is to call instead, or null. Elsewhere the loader finds none.
extern "C" __attribute__((weak, visibility("default"))) void* ringside_test_libc(const char* name);

namespace {

void* library()
{
    static void* const libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    return libc;
}

/// A function of the C library by its name; what the loader bound, where there is no glibc (musl), or an
/// older one that has the function elsewhere.
template <class Function>
class FromLibrary final {
public:
    constexpr FromLibrary(const char* name, Function* bound) : m_name(name), m_bound(bound) {}
    [[nodiscard]] Function* get()
    {
        Function* const known = m_function.load(std::memory_order_relaxed);
        return known != nullptr ? known : find();
    }

private:
    [[gnu::cold]] Function* find()
    {
        void* found = ringside_test_libc != nullptr ? ringside_test_libc(m_name) : nullptr;
        if (found == nullptr && library() != nullptr) {
            found = dlsym(library(), m_name);
        }
        auto* const function = found != nullptr ? reinterpret_cast<Function*>(found) : m_bound;
        m_function.store(function, std::memory_order_relaxed);
        return function;
    }

    const char* m_name;
    Function* m_bound;
    std::atomic<Function*> m_function{nullptr};
};

} // namespace

#define RS_LIBC(result, name, parameters, arguments)                                                         \
    extern "C" result __real_##name parameters;                                                              \
    extern "C" result __wrap_##name parameters;                                                              \
    static constinit FromLibrary<result parameters> g_##name(#name, &__real_##name);                         \
    result __wrap_##name parameters                                                                          \
    {                                                                                                        \
        return g_##name.get() arguments;                                                                     \
    }
#include "resolve/own_libc.def"
#undef RS_LIBC

namespace {

/// Now: later calls may come from a signal handler, where nothing may be looked up.
__attribute__((constructor(101))) void findAll()
{
#define RS_LIBC(result, name, parameters, arguments) static_cast<void>(g_##name.get());
#include "resolve/own_libc.def"
#undef RS_LIBC
}

} // namespace
