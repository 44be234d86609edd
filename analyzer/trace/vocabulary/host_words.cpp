// SPDX-License-Identifier: Apache-2.0
#include "trace/vocabulary/host_words.h"

#include "trace/vocabulary/api_name.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace ringside::trace {
namespace {

std::string lowerCase(std::string_view text)
{
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower;
}

} // namespace

bool isDataLoadingRange(std::string_view name)
{
    const std::string lower = lowerCase(name);
    for (const std::string_view part :
         {"dataload", "data_load", "data load", "data_wait", "next_batch", "fetch_batch"}) {
        if (lower.find(part) != std::string::npos) {
            return true;
        }
    }
    return lower == "data" || lower.rfind("data ", 0) == 0 || lower.rfind("data:", 0) == 0;
}

bool isBlockingCall(std::string_view api)
{
    constexpr std::array<std::string_view, 5> kCopies{"cudaMemcpy", "cudaMemcpy2D", "cudaMemcpy3D",
                                                      "cudaMemcpyToSymbol", "cudaMemcpyFromSymbol"};
    for (const std::string_view form : {"_ptds", "_spt"}) { // the default stream of the thread: CUDA, HIP
        api.remove_suffix(api.ends_with(form) ? form.size() : 0);
    }
    if (api.starts_with("hip")) {
        return isBlockingCall(inCudasWords(api));
    }
    return api.starts_with("cuda") && (api.find("Synchronize") != std::string_view::npos ||
                                       std::ranges::find(kCopies, api) != kCopies.end());
}

} // namespace ringside::trace
