// SPDX-License-Identifier: Apache-2.0
// Where a moment of one run is in another: in the same part of the step of the same number. For looking at
// two runs side by side; no figure stands on it.
#pragma once
#include "model/model.h"

#include <vector>

namespace ringside::compare {

class AlignedTime final {
public:
    /// Nothing aligned: moments are the same times after the beginning of each run.
    AlignedTime() = default;
    /// By the steps that both runs number alike, else by the first step of each.
    AlignedTime(const model::Model& base, const model::Model& now);

    [[nodiscard]] std::int64_t toNow(std::int64_t baseNs) const;
    [[nodiscard]] std::int64_t toBase(std::int64_t nowNs) const;
    /// As long as `time`, around the moment that its middle is in the other run.
    [[nodiscard]] model::Interval toNow(const model::Interval& time) const;
    [[nodiscard]] model::Interval toBase(const model::Interval& time) const;

private:
    struct Anchor {
        std::int64_t base = 0; ///< run time
        std::int64_t now = 0;
    };
    [[nodiscard]] std::int64_t map(std::int64_t time, std::int64_t Anchor::*from,
                                   std::int64_t Anchor::*to) const;

    std::vector<Anchor> m_anchors{{}}; ///< both times grow; never empty
};

} // namespace ringside::compare
