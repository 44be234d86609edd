// SPDX-License-Identifier: Apache-2.0
// One event of NCCL's profiler interface, whatever version told of it. Every version's descriptor is
// translated into this once; only a plugin behind ours gets descriptors again.
#pragma once
#include "abi/nccl_profiler.h"

namespace ringside::collector::profiler {

struct Event {
    std::uint64_t type = 0; ///< one EventType; others are possible
    void* parent = nullptr; ///< a handle of ours, of this process or (proxy operations) of another one
    void* group = nullptr;  ///< of an operation: the handle of its Group event, where parent is its call's
    int rank = 0;
    // Calls and operations.
    const char* communicatorName = nullptr; ///< version 3 only, as the next
    std::uint64_t communicatorHash = 0;
    CollFields coll{}; ///< sends and receives too: `receive` is their buffer, `root` their peer
    void* stream = nullptr;
    bool captured = false;
    // The others.
    int groupDepth = 0;
    ProxyOpFields proxyOp{};
    ProxyStepFields proxyStep{};
    KernelChFields kernelCh{};
    NetPluginFields netPlugin{};
    // As it came, for a plugin behind ours that speaks the same version.
    unsigned version = 0;
    const void* descriptor = nullptr;
};

[[nodiscard]] Event eventOf(const DescriptorV3& descriptor);
[[nodiscard]] Event eventOf(const DescriptorV4& descriptor);
/// Versions 5 to 7, of which the last is only longer.
[[nodiscard]] Event eventOf(const DescriptorV6& descriptor, unsigned version);

/// What an older version says of an event; false where it has no such event.
bool describe(const Event& event, DescriptorV3& descriptor);
bool describe(const Event& event, DescriptorV4& descriptor);

} // namespace ringside::collector::profiler
