// SPDX-License-Identifier: Apache-2.0
#include "trace/vocabulary/api_name.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ringside::trace {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

/// Functions of HIP that have no counterpart of the same name. Source: HIP, include/hip/hip_runtime_api.h
constexpr std::array kHipsOwn{Pair{"hipMemcpyWithStream", "cudaMemcpy"}, // blocks, unlike cudaMemcpyAsync
                              Pair{"hipMemcpyHtoD", "cudaMemcpy"},
                              Pair{"hipMemcpyDtoH", "cudaMemcpy"},
                              Pair{"hipHostMalloc", "cudaMallocHost"},
                              Pair{"hipHostAlloc", "cudaHostAlloc"},
                              Pair{"hipHostFree", "cudaFreeHost"},
                              Pair{"hipExtMallocWithFlags", "cudaMalloc"},
                              Pair{"hipExtLaunchKernel", "cudaLaunchKernel"},
                              Pair{"hipModuleLaunchKernel", "cudaLaunchKernel"},
                              Pair{"hipExtModuleLaunchKernel", "cudaLaunchKernel"},
                              Pair{"hipHccModuleLaunchKernel", "cudaLaunchKernel"}};

} // namespace

std::string inCudasWords(std::string_view api)
{
    constexpr std::string_view kHip = "hip";
    if (!api.starts_with(kHip)) {
        return std::string(api);
    }
    const auto own = std::ranges::find(kHipsOwn, api, &Pair::first);
    return own != kHipsOwn.end() ? std::string(own->second) : "cuda" + std::string(api.substr(kHip.size()));
}

bool launchesDeviceWork(std::string_view api)
{
    constexpr std::array<std::string_view, 6> kPrefixes{"cudaMemcpy", "cudaMemset", "cuMemcpy",
                                                        "cuMemset",   "hipMemcpy",  "hipMemset"};
    return (api.find("Launch") != std::string_view::npos && api.find("HostFunc") == std::string_view::npos) ||
           std::ranges::any_of(kPrefixes, [&](std::string_view prefix) { return api.starts_with(prefix); });
}

} // namespace ringside::trace
