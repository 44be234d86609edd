// SPDX-License-Identifier: Apache-2.0
// Programs that load libraries themselves, and that look at what is loaded.
#include "program.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

namespace ringside::harm {
namespace {

using Runtime = int (*)(int*);

int modeNamed(const std::string& word)
{
    return word == "local"    ? RTLD_NOW | RTLD_LOCAL
           : word == "global" ? RTLD_NOW | RTLD_GLOBAL
                              : RTLD_LAZY | RTLD_DEEPBIND;
}

/// load LIBRARY FUNCTION MODE TIMES: opens, calls a function that takes one pointer to int, closes.
int load(const Arguments& arguments)
{
    for (int i = 0; i < std::atoi(arguments.at(3)); ++i) {
        void* const library = dlopen(arguments.at(0), modeNamed(arguments.at(2)));
        if (library == nullptr) {
            std::printf("%s\n", dlerror());
            return 3;
        }
        int value = -1;
        const auto function = reinterpret_cast<Runtime>(dlsym(library, arguments.at(1)));
        const int result = function == nullptr ? -1 : function(&value);
        std::printf("%d %d, closed %d\n", result, value, dlclose(library));
    }
    return 0;
}

/// load_apart LIBRARY FUNCTION: into a namespace of its own, with a C library of its own.
int loadApart(const Arguments& arguments)
{
    void* const library = dlmopen(LM_ID_NEWLM, arguments.at(0), RTLD_NOW);
    if (library == nullptr) {
        std::printf("%s\n", dlerror());
        return 3;
    }
    int value = -1;
    const auto function = reinterpret_cast<Runtime>(dlsym(library, arguments.at(1)));
    const int result = function == nullptr ? -1 : function(&value);
    std::printf("%d %d\n", result, value);
    return expect(callCuda(), "CUDA works in the first namespace");
}

/// What RTLD_DEFAULT knows must be what is loaded: a library that the program has not loaded is none.
int findsNothingNew(const Arguments& arguments)
{
    int found = 0;
    for (const char* name : arguments) {
        found += dlsym(RTLD_DEFAULT, name) != nullptr ? 1 : 0;
    }
    std::printf("%d of %zu names are known\n", found, arguments.size());
    return 0;
}

/// The environment as an array, minus what we document; its order counts.
int printEnvironment(const Arguments& /*arguments*/)
{
    callCuda();
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string each = *variable;
        if (!each.starts_with("RINGSIDE_") && !each.starts_with("LD_PRELOAD=") &&
            !each.starts_with("NCCL_PROFILER_PLUGIN=") && !each.starts_with("NVTX_INJECTION64_PATH=")) {
            say(each.c_str());
        }
    }
    return 0;
}

/// cleared_environment: the program frees and replaces its environment, then calls CUDA and a child.
int clearedEnvironment(const Arguments& /*arguments*/)
{
    clearenv();
    setenv("ONLY", "this", 1);
    const int failed = expect(callCuda(), "CUDA works without an environment");
    sleepMilliseconds(300);
    return failed + (std::system("/usr/bin/env | /bin/grep -c .") == 0 ? 0 : 1);
}

/// The first object is the program, the addresses of its functions lie in it, and the walk over all objects
/// ends.
int walkObjects(const Arguments& /*arguments*/)
{
    callCuda();
    int count = 0;
    dl_iterate_phdr([](dl_phdr_info*, size_t, void* counter) { return ++*static_cast<int*>(counter), 0; },
                    &count);
    Dl_info info{};
    dladdr(reinterpret_cast<void*>(&walkObjects), &info);
    const std::string file = info.dli_fname == nullptr ? "" : info.dli_fname;
    return expect(count > 3, "several objects") +
           expect(file.ends_with("harm"), "the function is the program's");
}

/// Reads its own map of memory: every line, the stack and the heap are there.
int readOwnMap(const Arguments& /*arguments*/)
{
    callCuda();
    std::ifstream maps("/proc/self/maps");
    bool stack = false;
    bool heap = false;
    bool writableCode = false;
    for (std::string line; std::getline(maps, line);) {
        stack = stack || line.ends_with("[stack]");
        heap = heap || line.ends_with("[heap]");
        writableCode = writableCode || line.find(" rwx") != std::string::npos;
    }
    std::printf("stack %d, heap %d, memory that is written and executed %d\n", stack, heap, writableCode);
    return 0;
}

/// Arguments as bytes.
int printArguments(const Arguments& arguments)
{
    for (const char* each : arguments) {
        for (const char* byte = each; *byte != '\0'; ++byte) {
            std::printf("%02x", static_cast<unsigned char>(*byte));
        }
        std::printf(".\n");
    }
    return 0;
}

const Program g_loadingPrograms[] = {{"load_apart", loadApart},
                                     {"load", load},
                                     {"finds_nothing_new", findsNothingNew},
                                     {"print_environment", printEnvironment},
                                     {"cleared_environment", clearedEnvironment},
                                     {"walk_objects", walkObjects},
                                     {"read_own_map", readOwnMap},
                                     {"print_arguments", printArguments}};

} // namespace
} // namespace ringside::harm
