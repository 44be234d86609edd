// SPDX-License-Identifier: Apache-2.0
// Included once by a library that is preloaded before the collector: the collector calls the functions of the
// C library that this library exports (collector/resolve/own_libc.cpp).
#pragma once
#include <dlfcn.h>

extern "C" __attribute__((visibility("default"))) void* ringside_test_libc(const char* name)
{
    Dl_info self{};
    Dl_info found{};
    if (dladdr(reinterpret_cast<void*>(&ringside_test_libc), &self) == 0) {
        return nullptr;
    }
    void* const function = dlsym(dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD), name);
    const bool isOurs =
        function != nullptr && dladdr(function, &found) != 0 && found.dli_fbase == self.dli_fbase;
    return isOurs ? function : nullptr;
}
