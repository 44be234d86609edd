// SPDX-License-Identifier: Apache-2.0
// What NCCL_ALGO allows. The emulation has rings, and trees for all-reduces; without the variable it takes
// rings, where the real library weighs size and topology.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace ringside::nccl {

enum class Kind : std::uint8_t;

enum class Algorithm : std::uint8_t { Tree, Ring }; ///< as ncclProfiler and NCCL_ALGO number them

class Algorithms final {
public:
    /// By NCCL_ALGO: "tree,ring", "^tree", and since 2.24 "allreduce:tree;broadcast:ring".
    /// Failure(ncclInvalidUsage) for words that the real library does not know.
    [[nodiscard]] static Algorithms fromEnvironment();

    /// For one of the five collectives. Failure(ncclInvalidUsage) where none is allowed that serves it, as
    /// since 2.24.
    [[nodiscard]] Algorithm of(Kind kind) const;

private:
    static constexpr std::size_t kCollectives = 5;

    std::array<unsigned, kCollectives> m_allowed{}; ///< bits by algorithm, by Kind
};

} // namespace ringside::nccl
