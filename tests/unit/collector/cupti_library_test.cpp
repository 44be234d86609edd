// SPDX-License-Identifier: Apache-2.0
// The search for CUPTI in a process that has no memory left.
#include "device/cupti_library.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <new>

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

// An exception that passes a frame of the C library makes it load libgcc_s.so.1, and end the process if
// there is no memory for that.
TEST(CuptiLibrary, isSearchedForWithoutHarmWhenMemoryIsOut)
{
    EXPECT_EXIT(searchWithoutMemory(), testing::ExitedWithCode(0), "");
}

} // namespace
