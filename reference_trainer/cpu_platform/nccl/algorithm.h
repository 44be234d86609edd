// SPDX-License-Identifier: Apache-2.0
// The algorithms that NCCL_ALGO allows. The emulation has rings, and trees for all-reduces. Without the
// variable it uses rings, where the real library considers size and topology.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace ringside::nccl {

enum class Kind : std::uint8_t;

enum class Algorithm : std::uint8_t { Tree, Ring }; ///< numbered as in ncclProfiler and NCCL_ALGO

class Algorithms final {
public:
    /// Parses NCCL_ALGO: "tree,ring", "^tree", and since 2.24 "allreduce:tree;broadcast:ring". Throws
    /// Failure(ncclInvalidUsage) for words unknown to the real library.
    [[nodiscard]] static Algorithms fromEnvironment();

    /// Returns the algorithm of one of the five collectives. Throws Failure(ncclInvalidUsage) if no allowed
    /// algorithm supports it, as NCCL since 2.24.
    [[nodiscard]] Algorithm of(Kind kind) const;

private:
    static constexpr std::size_t kCollectives = 5;

    std::array<unsigned, kCollectives> m_allowed{}; ///< bits by algorithm, indexed by Kind
};

} // namespace ringside::nccl
