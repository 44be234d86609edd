// SPDX-License-Identifier: Apache-2.0
// Which steps a summary keeps with all their rows. The choice follows from step numbers alone, so that hosts
// that are reduced one by one keep the same steps: blocks of consecutive steps that begin at multiples of
// 12 x 2^n. If a host has some more steps than another one, either both choose the same n, or the blocks of
// one are among those of the other.
#pragma once
#include <cstdint>

namespace ringside::reduce {

/// A step is only known as a whole if its neighbours were recorded, too. So a block has two steps more.
inline constexpr std::int64_t kBlockSteps = 10;
inline constexpr std::int64_t kBlockWidth = kBlockSteps + 2;

class StepSample final {
public:
    StepSample() = default; ///< holds no step
    /// Chooses about `count` of the steps from `first` to `last`, and their neighbours; all if there are not
    /// many more. At least one block unless `count` is 0.
    StepSample(std::int64_t first, std::int64_t last, std::int64_t count);

    [[nodiscard]] bool holds(std::int64_t number) const;

private:
    std::int64_t m_first = 0;
    std::int64_t m_last = -1;
    std::int64_t m_stride = kBlockWidth; ///< from the begin of a block to that of the next one
};

} // namespace ringside::reduce
