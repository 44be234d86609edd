// SPDX-License-Identifier: Apache-2.0
// HTA's patterns, in HTA's order. They match at the start of a name only, so that "hipMemcpy" counts as
// communication.
#include "report/hta/frame.h"

#include <algorithm>
#include <array>

namespace ringside::report::hta {
namespace {

using Words = std::span<const std::string_view>;

bool startsWith(std::string_view name, Words words)
{
    return std::ranges::any_of(words, [&](std::string_view word) { return name.starts_with(word); });
}

bool holds(std::string_view name, Words words)
{
    return std::ranges::any_of(
        words, [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

constexpr std::array<std::string_view, 3> kCommunication{"nccl", "hip", "hccl"};
constexpr std::array<std::string_view, 3> kMemory{"Memcpy", "Memset", "dma"};
constexpr std::array<std::string_view, 10> kNoComputation{
    "nccl",    "hip",    "hccl",   "Stream Wait Event", "runFunction",
    "job_exe", "packet", "pe_exe", "cpum_exe_subgraph", "collective_subgraph_execution"};
constexpr std::array<std::string_view, 4> kNoComputationInside{"Memcpy", "Memset", "dma", "Sync"};

} // namespace

KernelType kernelTypeOf(std::string_view name)
{
    if (startsWith(name, kCommunication) || name.find("ncclKernel") != std::string_view::npos) {
        return KernelType::Communication;
    }
    if (startsWith(name, kMemory)) {
        return KernelType::Memory;
    }
    const bool launches = name.starts_with("cuda") && name.find("LaunchKernel") != std::string_view::npos;
    return startsWith(name, kNoComputation) || holds(name, kNoComputationInside) || launches
               ? KernelType::Other
               : KernelType::Computation;
}

std::string_view nameOf(KernelType type)
{
    constexpr std::array<std::string_view, 4> kNames{"COMPUTATION", "COMMUNICATION", "MEMORY", "OTHER"};
    return kNames[static_cast<std::size_t>(type)];
}

} // namespace ringside::report::hta
