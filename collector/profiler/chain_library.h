// SPDX-License-Identifier: Apache-2.0
// The plugin that NCCL would have loaded instead of the collector, found by NCCL's rules
// (src/plugin/plugin_open.cc of its source): the name itself, then libnccl-profiler-NAME.so, any prefix of
// STATIC_PLUGIN for the program itself, and libnccl-profiler.so without a setting.
#pragma once
#include <string>

namespace ringside::collector::profiler {

struct ChainLibrary {
    const void* plugin = nullptr; ///< its ncclProfiler_vN; null if there is none
    unsigned version = 0;
    std::string name;   ///< name of the opened file
    std::string reason; ///< why there is none, if one was configured
};

/// `setting` is the original value of NCCL_PROFILER_PLUGIN; `newest` is the API version that NCCL uses with
/// the collector.
[[nodiscard]] ChainLibrary findChained(const std::string& setting, unsigned newest);

} // namespace ringside::collector::profiler
