// SPDX-License-Identifier: Apache-2.0
// The search for CUPTI in a process that has no memory left.
#include "device/cupti_library.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <new>
#include <string>

using namespace ringside::collector;

namespace {

/// Ends with 0 if the search returns or throws, as its callers expect.
[[noreturn]] void searchWithoutMemory()
{
    CuptiLibrary library;
    if (dlopen(RINGSIDE_TEST_CUDART, RTLD_NOW) == nullptr) {
        _exit(2);
    }
    const rlimit none{0, 0};
    setrlimit(RLIMIT_AS, &none);
    for (std::size_t bytes = std::size_t{1} << 16; bytes >= 8; bytes /= 2) {
        while (std::malloc(bytes) != nullptr) { // NOLINT(clang-analyzer-unix.Malloc): nothing is given back
        }
    }
    try {
        library.load();
    } catch (const std::bad_alloc&) {
        _exit(0);
    }
    _exit(0);
}

/// Ends with 0 if a runtime of CUDA 14 is refused before a CUPTI is opened.
[[noreturn]] void searchBesideNewerRuntime(const std::filesystem::path& runtime)
{
    CuptiLibrary library;
    if (dlopen(runtime.c_str(), RTLD_NOW) == nullptr) {
        _exit(2);
    }
    const bool loaded = library.load();
    _exit(!loaded && library.reason().starts_with("CUPTI 14 is newer than this Ringside") ? 0 : 1);
}

TEST(CuptiLibrary, isRefusedIfTheRuntimeIsNewerThanAllKnown)
{
    const std::filesystem::path runtime =
        std::filesystem::path(testing::TempDir()) / ("libcudart.so.14." + std::to_string(getpid()));
    std::filesystem::copy_file(RINGSIDE_TEST_CUDART, runtime);
    EXPECT_EXIT(searchBesideNewerRuntime(runtime), testing::ExitedWithCode(0), "");
    std::filesystem::remove(runtime);
}

// An exception that passes a frame of the C library makes it load libgcc_s.so.1, and end the process if
// there is no memory for that.
TEST(CuptiLibrary, isSearchedForWithoutHarmWhenMemoryIsOut)
{
    EXPECT_EXIT(searchWithoutMemory(), testing::ExitedWithCode(0), "");
}

} // namespace
