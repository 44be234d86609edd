// SPDX-License-Identifier: Apache-2.0
// The plugin that NCCL would have loaded in our place, found by NCCL's rules (src/plugin/plugin_open.cc of
// its source): the name as it is, then libnccl-profiler-NAME.so, any beginning of STATIC_PLUGIN for the
// program itself, libnccl-profiler.so where nothing was set.
#pragma once
#include <string>

namespace ringside::collector::profiler {

struct ChainLibrary {
    const void* plugin = nullptr; ///< its ncclProfiler_vN; null: there is none
    unsigned version = 0;
    std::string name;   ///< what was opened
    std::string reason; ///< why there is none, where one was asked for
};

/// `setting` is what NCCL_PROFILER_PLUGIN said before us; `newest` the version that NCCL speaks with us.
[[nodiscard]] ChainLibrary findChained(const std::string& setting, unsigned newest);

} // namespace ringside::collector::profiler
