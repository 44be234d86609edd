// SPDX-License-Identifier: Apache-2.0
// The cheapest library that can stand behind a hook: under the CUDA runtime's name, functions that only
// return, and the plain thing a hook is compared with. Both are called through the PLT, as a real library's
// functions are.
#include "fake_cudart.h"

#include <x86intrin.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace {

struct Record {
    std::uint64_t sequence, start, end, payload;
};
static_assert(sizeof(Record) == 32);

constexpr std::uint64_t kRecords = 1U << 16; // 2 MiB, as large as the collector's ring
thread_local std::array<Record, kRecords> t_records __attribute__((tls_model("initial-exec")));
thread_local std::uint64_t t_next __attribute__((tls_model("initial-exec"))) = 0;

} // namespace

extern "C" int cudaEventRecord(void* event, void* stream)
{
    asm volatile("" : : "r"(event), "r"(stream) : "memory");
    return 0;
}

extern "C" int cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, int kind, void* stream)
{
    asm volatile("" : : "r"(to), "r"(from), "r"(bytes), "r"(kind), "r"(stream) : "memory");
    return 0;
}

extern "C" int benchBareRecord(void* argument)
{
    const std::uint64_t start = __rdtsc();
    asm volatile("" : : "r"(argument) : "memory");
    const std::uint64_t end = __rdtsc();
    Record& record = t_records[t_next % kRecords];
    record = {t_next, start, end, 0};
    ++t_next;
    asm volatile("" : : : "memory");
    return 0;
}
