// SPDX-License-Identifier: Apache-2.0
// The versions of libraries that the collector knows, and what is said of a newer one.
#pragma once
#include <string>

namespace ringside::collector {

/// As ncclGetVersion returns it: 2.32 and all its patches.
inline constexpr int kNewestKnownNccl = 23299;

/// The program's NCCL as ncclGetVersion returns it; 0: not known (yet). Set by the drain thread.
[[nodiscard]] int ncclVersionInUse();
void noteNcclVersion(int version);

/// 23206 is "2.32.6".
[[nodiscard]] std::string ncclVersionText(int version);

} // namespace ringside::collector
