// SPDX-License-Identifier: Apache-2.0
// NCCL's profiler plugin as the rest of the collector sees it.
#pragma once
#include <cstdint>

namespace ringside::collector {

struct Communicator;

namespace profiler {

/// A wrapper has made this communicator: its context, if NCCL opened one meanwhile, is of it. Inside the
/// call's wrapper.
void noteCommunicator(Communicator* communicator);

/// Whether NCCL shows the plugin the calls on this communicator (its own hash), so that nobody else needs to.
[[nodiscard]] bool showsCallsOf(std::uint64_t ncclHash);

/// The API version that NCCL asked for; 0: none did.
[[nodiscard]] unsigned versionInUse();

} // namespace profiler
} // namespace ringside::collector
