// SPDX-License-Identifier: Apache-2.0
// Maps a time of one run to the same part of the same step of another run, to show two runs side by side. No
// figure is computed from it.
#pragma once
#include "model/model.h"

#include <vector>

namespace ringside::compare {

class AlignedTime final {
public:
    /// Without alignment, times are compared by their distance from the beginning of each run.
    AlignedTime() = default;
    /// Aligns by the steps with the same number in both runs, else by the first step of each.
    AlignedTime(const model::Model& base, const model::Model& now);

    [[nodiscard]] std::int64_t toNow(std::int64_t baseNs) const;
    [[nodiscard]] std::int64_t toBase(std::int64_t nowNs) const;
    /// Returns an interval of the same length around the aligned middle of `time`.
    [[nodiscard]] model::Interval toNow(const model::Interval& time) const;
    [[nodiscard]] model::Interval toBase(const model::Interval& time) const;

private:
    struct Anchor {
        std::int64_t base = 0; ///< run time
        std::int64_t now = 0;
    };
    [[nodiscard]] std::int64_t map(std::int64_t time, std::int64_t Anchor::*from,
                                   std::int64_t Anchor::*to) const;

    std::vector<Anchor> m_anchors{{}}; ///< sorted by both times; never empty
};

} // namespace ringside::compare
