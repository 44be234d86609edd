// SPDX-License-Identifier: Apache-2.0
// Functions that only glibc has. The library may be preloaded into a program of another C library (musl),
// whose loader ends the program if a function is missing, unless the reference is weak: then it is null.
// Nothing is recorded there.
#pragma once
#include <dlfcn.h>

#include <cstdlib>

#pragma weak on_exit
#pragma weak dladdr1

namespace ringside::collector {

/// False: the functions above are null.
[[nodiscard]] bool runsOnGlibc();

/// As pthread_atfork, for this library. Does nothing where this is not glibc.
void atFork(void (*prepare)(), void (*parent)(), void (*child)());

} // namespace ringside::collector
