// SPDX-License-Identifier: Apache-2.0
#include "record/library_versions.h"

#include <atomic>

namespace ringside::collector {
namespace {

std::atomic<int> g_nccl{0};

} // namespace

int ncclVersionInUse()
{
    return g_nccl.load(std::memory_order_relaxed);
}

void noteNcclVersion(int version)
{
    g_nccl.store(version, std::memory_order_relaxed);
}

std::string ncclVersionText(int version)
{
    constexpr int kMajor = 10000;
    constexpr int kMinor = 100;
    return std::to_string(version / kMajor) + "." + std::to_string(version % kMajor / kMinor) + "." +
           std::to_string(version % kMinor);
}

} // namespace ringside::collector
