// SPDX-License-Identifier: Apache-2.0
// Asks for huge pages under big arrays before they are first touched: with pages of 4 KiB more than half of
// the time of loading a trace goes into page faults.
#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace ringside::trace {

/// A wish: without huge pages everything works, slower. Small arrays are left alone.
inline void adviseHugePages(void* memory, std::size_t bytes)
{
    constexpr std::uintptr_t kHugePage = 2U << 20U;
    const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + kHugePage - 1) / kHugePage * kHugePage;
    const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / kHugePage * kHugePage;
    if (memory != nullptr && begin < end) {
        static_cast<void>(madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE));
    }
}

} // namespace ringside::trace
