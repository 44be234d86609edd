// SPDX-License-Identifier: Apache-2.0
// Interface of NCCL's profiler plugin for the rest of the collector.
#pragma once
#include <cstdint>

namespace ringside::collector {

struct Communicator;

namespace profiler {

/// Called inside the wrapper that has created this communicator. If NCCL opened a context during the call, it
/// belongs to the communicator.
void noteCommunicator(Communicator* communicator);

/// Returns whether NCCL reports the calls on this communicator (by NCCL's hash) to the plugin, so that no
/// other source is needed.
[[nodiscard]] bool showsCallsOf(std::uint64_t ncclHash);

/// The API version that NCCL requested; 0 if none.
[[nodiscard]] unsigned versionInUse();

} // namespace profiler
} // namespace ringside::collector
