// SPDX-License-Identifier: Apache-2.0
#include "trace/vocabulary/host_words.h"

#include <algorithm>
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
    if (api.rfind("cuda", 0) != 0) {
        return false;
    }
    if (constexpr std::string_view kPerThreadForm = "_ptds"; api.ends_with(kPerThreadForm)) {
        api.remove_suffix(kPerThreadForm.size());
    }
    return api.find("Synchronize") != std::string_view::npos || api == "cudaMemcpy" ||
           api == "cudaMemcpy2D" || api == "cudaMemcpy3D" || api == "cudaMemcpyToSymbol" ||
           api == "cudaMemcpyFromSymbol";
}

} // namespace ringside::trace
