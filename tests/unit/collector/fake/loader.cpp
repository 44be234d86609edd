// SPDX-License-Identifier: Apache-2.0
// Loads a plugin RTLD_LOCAL, as Python loads extension modules: the plugin's NCCL is then in nobody's global
// scope.
#include <dlfcn.h>

#include <cstdio>

int main(int argc, char** argv)
{
    void* plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
    auto* run = plugin != nullptr ? reinterpret_cast<int (*)()>(dlsym(plugin, "runPlugin")) : nullptr;
    if (run == nullptr) {
        std::fprintf(stderr, "cannot load the plugin: %s\n", dlerror());
        return 2;
    }
    return run();
}
