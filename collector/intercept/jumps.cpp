// SPDX-License-Identifier: Apache-2.0
// Wrappers of longjmp. A program may jump out of a signal handler, and so out of a wrapped call, whose end
// the collector would never see (record/session.h). These run in signal handlers: nothing here allocates or
// locks.
#include "record/session.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>

namespace ringside::collector {
namespace {

using Jump = void(void* place, int value);

/// Resolved when the library is loaded.
struct RealJumps {
    Jump* longJump = find("longjmp");
    Jump* shortJump = find("_longjmp");
    Jump* signalJump = find("siglongjmp");
    Jump* checkedJump = find("__longjmp_chk");
    /// What a stack pointer is mangled with on ARM64: a word of the loader.
    const std::uintptr_t* guard =
        static_cast<const std::uintptr_t*>(dlsym(RTLD_DEFAULT, "__pointer_chk_guard"));

    static Jump* find(const char* name) { return reinterpret_cast<Jump*>(dlsym(RTLD_NEXT, name)); }
};

const RealJumps& realJumps()
{
    static const RealJumps jumps;
    return jumps;
}

__attribute__((constructor)) void findRealJumps()
{
    realJumps();
}

/// glibc stores a mangled stack pointer. No thread is inside a hook where there is another C library.
std::uintptr_t stackPointerIn(const void* place)
{
#if defined(__x86_64__)
    constexpr int kStackPointer =
        6; // the word of sysdeps/x86_64/jmpbuf-offsets.h, mangled with one of the thread
    std::uintptr_t pointer = static_cast<const std::uintptr_t*>(place)[kStackPointer];
    __asm__("ror $17, %0; xor %%fs:0x30, %0" : "+r"(pointer) : : "cc");
    return pointer;
#elif defined(__aarch64__)
    constexpr int kStackPointer = 13; // of sysdeps/aarch64/jmpbuf-offsets.h
    const std::uintptr_t pointer = static_cast<const std::uintptr_t*>(place)[kStackPointer];
    const std::uintptr_t* const guard = realJumps().guard;
    return guard != nullptr ? pointer ^ *guard : pointer;
#endif
}

[[noreturn]] void jump(Jump* real, void* place, int value)
{
    if (t_thread.depth != 0) {
        leftByJump(stackPointerIn(place));
    }
    if (real != nullptr) {
        real(place, value);
    }
    std::abort(); // a C library without this function has no program that calls it
}

} // namespace
} // namespace ringside::collector

namespace collector = ringside::collector;

#pragma GCC visibility push(default)
// Not the headers' declarations: their jmp_buf is an array of a type that programs do not share with us.
extern "C" {

[[noreturn]] void longjmp(void* place, int value)
{
    collector::jump(collector::realJumps().longJump, place, value);
}

[[noreturn]] void _longjmp(void* place, int value) // NOLINT(readability-identifier-naming)
{
    collector::jump(collector::realJumps().shortJump, place, value);
}

[[noreturn]] void siglongjmp(void* place, int value)
{
    collector::jump(collector::realJumps().signalJump, place, value);
}

[[noreturn]] void
__longjmp_chk(void* place, int value) // NOLINT(bugprone-reserved-identifier,readability-identifier-naming)
{
    collector::jump(collector::realJumps().checkedJump, place, value);
}

} // extern "C"
#pragma GCC visibility pop
