// SPDX-License-Identifier: Apache-2.0
// How NCCL comes to load this library as its profiler plugin: NCCL_PROFILER_PLUGIN, set before the program's
// own code runs. What stood there before is kept for the plugin behind ours.
#pragma once
#include <string>

namespace ringside::collector::profiler {

inline constexpr const char* kPluginVariable = "NCCL_PROFILER_PLUGIN";
/// What NCCL_PROFILER_PLUGIN said before us; handed down to child processes, which find ours there already.
inline constexpr const char* kChainedVariable = "RINGSIDE_CHAINED_PROFILER";

/// What NCCL is to be told of this library: its path, or STATIC_PLUGIN where NCCL would cut the path off.
[[nodiscard]] std::string announcement(const std::string& ownPath);

/// Why NCCL cannot have found us, in words for the trace; empty when it can.
[[nodiscard]] std::string whyNotAnnounced();

} // namespace ringside::collector::profiler
