// SPDX-License-Identifier: Apache-2.0
// One event of NCCL's profiler interface, independent of its version. The descriptor of each version is
// translated once; only a chained plugin receives descriptors again.
#pragma once
#include "abi/nccl_profiler.h"

#include <optional>

namespace ringside::collector::profiler {

struct Event {
    std::uint64_t type = 0; ///< one EventType; other values are possible
    /// A handle of the collector, from this process or (proxy operations) from another one.
    void* parent = nullptr;
    void* group = nullptr; ///< for an operation, the handle of its Group event, if its parent is the call
    int rank = 0;
    // Fields of calls and operations.
    const char* communicatorName = nullptr; ///< version 3 only, as the next
    std::uint64_t communicatorHash = 0;
    CollFields coll{}; ///< also for sends and receives: `receive` is their buffer, `root` their peer
    void* stream = nullptr;
    bool captured = false;
    // Fields of other events.
    int groupDepth = 0;
    ProxyOpFields proxyOp{};
    ProxyStepFields proxyStep{};
    KernelChFields kernelCh{};
    NetPluginFields netPlugin{};
    CeCollFields ceColl{};
    CeBatchFields ceBatch{};
    KernelPhaseFields kernelPhase{};
    const char* kernelVariant = nullptr;
    std::optional<bool> symmetric; ///< null: not told (before version 7)
    std::uint64_t userTag = 0;     ///< of an operation; 0: none
    // The original descriptor, for a chained plugin with the same version.
    unsigned version = 0;
    const void* descriptor = nullptr;
};

[[nodiscard]] Event eventOf(const DescriptorV3& descriptor);
[[nodiscard]] Event eventOf(const DescriptorV4& descriptor);
/// Parses descriptors of versions 5 and 6.
[[nodiscard]] Event eventOf(const DescriptorV6& descriptor, unsigned version);
[[nodiscard]] Event eventOf(const DescriptorV7& descriptor, unsigned version);

/// Parses a descriptor of an older version. Returns false if the version has no such event.
bool describe(const Event& event, DescriptorV3& descriptor);
bool describe(const Event& event, DescriptorV4& descriptor);

} // namespace ringside::collector::profiler
