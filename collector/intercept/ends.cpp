// SPDX-License-Identifier: Apache-2.0
// Wrappers of the functions that end a program without exit handlers: _exit, quick_exit, exec. They only
// store how the program ended (record/own_end.h). Programs call them in signal handlers and between
// vfork and exec, so the real functions are resolved when the library is loaded, and nothing here
// allocates or locks. The C library's own calls, in exit() and posix_spawn(), do not pass through here.
#include "record/own_end.h"

#include <alloca.h>
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdlib>

namespace ringside::collector {
namespace {

/// Resolved when the library is loaded, before any signal handler can run. Null: called before that.
template <class Function>
class RealEnd final {
public:
    explicit RealEnd(const char* name) : m_function(reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name))) {}
    [[nodiscard]] Function* get() const { return m_function; }

private:
    Function* m_function;
};

using Exit = void(int);
using Execute = int(const char*, char* const*);
using ExecuteIn = int(const char*, char* const*, char* const*);
using ExecuteFile = int(int, char* const*, char* const*);

struct RealEnds {
    RealEnd<Exit> exitNow{"_exit"};
    RealEnd<Exit> quickExit{"quick_exit"};
    RealEnd<Execute> execv{"execv"};
    RealEnd<Execute> execvp{"execvp"};
    RealEnd<ExecuteIn> execve{"execve"};
    RealEnd<ExecuteIn> execvpe{"execvpe"};
    RealEnd<ExecuteFile> fexecve{"fexecve"};
};

const RealEnds& realEnds()
{
    static const RealEnds ends;
    return ends;
}

__attribute__((constructor)) void findRealEnds()
{
    realEnds();
}

[[noreturn]] void endNow(int code)
{
    recordExit(code);
    if (Exit* const real = realEnds().exitNow.get(); real != nullptr) {
        real(code);
    }
    for (;;) {
        syscall(SYS_exit_group, code);
    }
}

template <class Function, class... Arguments>
int execute(const RealEnd<Function>& real, Arguments... arguments)
{
    if (real.get() == nullptr) {
        errno = ENOSYS;
        return -1;
    }
    recordExec();
    const int result = real.get()(arguments...);
    clearExec();
    return result;
}

/// Counts the arguments of a list that begins with a named one. Not inlined: the C library's headers
/// declare the first argument non-null, but programs that pass none work.
[[gnu::noinline]] std::size_t countArguments(const char* first, va_list list)
{
    std::size_t count = 0;
    for (const char* each = first; each != nullptr; each = va_arg(list, char*)) {
        ++count;
    }
    return count;
}

} // namespace
} // namespace ringside::collector

namespace collector = ringside::collector;

/// Copies variadic arguments into an array on the stack.
#define RINGSIDE_LISTED_ARGUMENTS(list, first, arguments)                                                    \
    va_list list;                                                                                            \
    va_start(list, first);                                                                                   \
    const std::size_t arguments##Count = collector::countArguments(first, list);                             \
    va_end(list);                                                                                            \
    auto** const arguments = static_cast<char**>(alloca((arguments##Count + 1) * sizeof(char*)));            \
    va_start(list, first);                                                                                   \
    arguments[0] = const_cast<char*>(first);                                                                 \
    for (std::size_t index = 1; index <= arguments##Count; ++index) {                                        \
        arguments[index] = va_arg(list, char*);                                                              \
    }

#pragma GCC visibility push(default)
extern "C" {

[[noreturn]] void _exit(int code)
{
    collector::endNow(code);
}

[[noreturn]] void _Exit(int code) noexcept
{
    collector::endNow(code);
}

[[noreturn]] void quick_exit(int code) noexcept
{
    collector::recordExit(code);
    if (auto* const real = collector::realEnds().quickExit.get(); real != nullptr) {
        real(code);
    }
    collector::endNow(code);
}

int execv(const char* path, char* const* arguments) noexcept
{
    return collector::execute(collector::realEnds().execv, path, arguments);
}

int execvp(const char* file, char* const* arguments) noexcept
{
    return collector::execute(collector::realEnds().execvp, file, arguments);
}

int execve(const char* path, char* const* arguments, char* const* environment) noexcept
{
    return collector::execute(collector::realEnds().execve, path, arguments, environment);
}

int execvpe(const char* file, char* const* arguments, char* const* environment) noexcept
{
    return collector::execute(collector::realEnds().execvpe, file, arguments, environment);
}

int fexecve(int file, char* const* arguments, char* const* environment) noexcept
{
    return collector::execute(collector::realEnds().fexecve, file, arguments, environment);
}

int execl(const char* path, const char* first, ...) noexcept
{
    RINGSIDE_LISTED_ARGUMENTS(list, first, arguments)
    va_end(list);
    return execv(path, arguments);
}

int execlp(const char* file, const char* first, ...) noexcept
{
    RINGSIDE_LISTED_ARGUMENTS(list, first, arguments)
    va_end(list);
    return execvp(file, arguments);
}

int execle(const char* path, const char* first, ...) noexcept
{
    RINGSIDE_LISTED_ARGUMENTS(list, first, arguments)
    char* const* const environment = va_arg(list, char* const*);
    va_end(list);
    return execve(path, arguments, environment);
}

} // extern "C"
#pragma GCC visibility pop
