// SPDX-License-Identifier: Apache-2.0
#include "flight_dumps/places.h"

namespace ringside::flight_dumps {
namespace {

namespace fs = std::filesystem;

/// An empty value counts as set, as in PyTorch's getCvarString.
std::string cacheFolder(const Variable& variable)
{
    return variable("HOME").value_or("/tmp") + "/.cache";
}

} // namespace

std::vector<std::string> dumpPrefixes(const Variable& variable, const fs::path& workingDirectory)
{
    std::vector<std::string> prefixes;
    const auto add = [&](const std::string& prefix) {
        if (!prefix.empty()) {
            prefixes.push_back((workingDirectory / prefix).lexically_normal().string());
        }
    };
    const auto newName = variable("TORCH_FR_DUMP_TEMP_FILE");         // read since 2.8, where it comes first
    const auto oldName = variable("TORCH_NCCL_DEBUG_INFO_TEMP_FILE"); // read by all
    add(newName.value_or(""));
    add(oldName.value_or(""));
    if (!oldName) {                   // what an older PyTorch does without it, whatever the new name says
        add("/tmp/nccl_trace_rank_"); // to 2.6
        add(cacheFolder(variable) + "/torch/nccl_trace_rank_"); // from 2.7 on
    }
    if (!oldName && !newName) { // newer ones; XDG_CACHE_HOME came after the new name of the file
        add(cacheFolder(variable) + "/torch/comm_lib_trace_rank_");
        if (const auto cache = variable("XDG_CACHE_HOME")) {
            add(*cache + "/torch/comm_lib_trace_rank_");
        }
    }
    return prefixes;
}

} // namespace ringside::flight_dumps
