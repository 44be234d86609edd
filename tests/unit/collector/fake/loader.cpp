// SPDX-License-Identifier: Apache-2.0
// Loads a plugin RTLD_LOCAL, as Python loads extension modules, so that the plugin's NCCL is not in the
// global scope. With "closes", it is loaded globally and closed again, together with its NCCL. With the
// collector, NCCL's functions are still found, and must still work.
#include <dlfcn.h>

#include <cstdio>

int main(int argc, char** argv)
{
    const bool closes = argc > 2;
    void* plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | (closes ? RTLD_GLOBAL : RTLD_LOCAL)) : nullptr;
    auto* run = plugin != nullptr ? reinterpret_cast<int (*)()>(dlsym(plugin, "runPlugin")) : nullptr;
    if (run == nullptr) {
        std::fprintf(stderr, "cannot load the plugin: %s\n", dlerror());
        return 2;
    }
    const int result = run();
    if (closes) {
        dlclose(plugin);
        char id[128] = {};
        auto* getUniqueId = reinterpret_cast<int (*)(void*)>(dlsym(RTLD_DEFAULT, "ncclGetUniqueId"));
        return getUniqueId != nullptr ? getUniqueId(id) : result;
    }
    return result;
}
