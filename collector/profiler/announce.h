// SPDX-License-Identifier: Apache-2.0
// Makes NCCL load this library as its profiler plugin: sets NCCL_PROFILER_PLUGIN before the program's
// code runs. The previous value is kept for the chained plugin.
#pragma once
#include <string>

namespace ringside::collector::profiler {

inline constexpr const char* kPluginVariable = "NCCL_PROFILER_PLUGIN";
/// The previous value of NCCL_PROFILER_PLUGIN. Passed to child processes, where NCCL_PROFILER_PLUGIN
/// names this library already.
inline constexpr const char* kChainedVariable = "RINGSIDE_CHAINED_PROFILER";

/// The value for NCCL_PROFILER_PLUGIN: the library's path, or STATIC_PLUGIN if the path is longer than
/// NCCL reads.
[[nodiscard]] std::string announcement(const std::string& ownPath);

/// Why NCCL cannot have loaded this library, as text for the trace. Empty: it can.
[[nodiscard]] std::string whyNotAnnounced();

} // namespace ringside::collector::profiler
