// SPDX-License-Identifier: Apache-2.0
// Loads libraries as Python, frameworks and tools do, and runs what they have: "local", "global", or
// "apart", in a name space of its own. With "linked" the program itself has the libraries' functions
// (recorded_exporting). "revoke" calls a function that a newer copy alone has.
#include <dlfcn.h>

#include <cstdio>
#include <string_view>

namespace {

void* load(const char* path, std::string_view how)
{
    return how == "apart" ? dlmopen(LM_ID_NEWLM, path, RTLD_NOW)
                          : dlopen(path, RTLD_NOW | (how == "global" ? RTLD_GLOBAL : RTLD_LOCAL));
}

} // namespace

int main(int argc, char** argv)
{
    const std::string_view how = argc > 1 ? argv[1] : "";
    int failed = 0;
    for (int each = 2; each < argc; ++each) {
        void* const library = load(argv[each], how);
        const char* const function = how == "revoke" ? "revoke" : "runPlugin";
        auto* const run =
            library != nullptr ? reinterpret_cast<int (*)(int)>(dlsym(library, function)) : nullptr;
        if (run == nullptr) {
            std::printf("cannot load: %s\n", dlerror());
            return 2;
        }
        const int result = run(10 + each);
        std::printf("%s: %d\n", function, result);
        failed += result;
    }
    std::fflush(stdout);
    return failed == 0 ? 0 : 1;
}
