// SPDX-License-Identifier: Apache-2.0
// What the static libraries in the collector ask of glibc and musl lacks. The collector may be preloaded into
// a program of musl (Alpine), whose loader ends the program if a function of a preloaded library is missing.
// Linked into the collector alone.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

/// The checked functions end a program that would write beyond an object.
void refuseOverflow(std::size_t bytes, std::size_t room)
{
    if (bytes > room) {
        std::abort();
    }
}

} // namespace

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the names are glibc's
extern "C" {

void* __memcpy_chk(void* target, const void* source, std::size_t bytes, std::size_t room)
{
    refuseOverflow(bytes, room);
    return std::memcpy(target, source, bytes);
}

void* __memset_chk(void* target, int value, std::size_t bytes, std::size_t room)
{
    refuseOverflow(bytes, room);
    return std::memset(target, value, bytes);
}

std::size_t __strftime_l(char* text, std::size_t room, const char* format, const std::tm* time,
                         locale_t locale)
{
    return strftime_l(text, room, format, time, locale);
}

/// Both C libraries have it, but glibc has it in its loader. A library that names it there needs that
/// loader's file, which a system of musl lacks.
void* __tls_get_addr(void* place)
{
    static auto* const real = reinterpret_cast<void* (*)(void*)>(dlsym(RTLD_DEFAULT, "__tls_get_addr"));
    return real(place);
}

} // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
