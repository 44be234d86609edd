// SPDX-License-Identifier: Apache-2.0
// What the ranks of a finding have in common that tells where its cause is: a host, a switch that the user
// described, the same GPU of every host (a rail of the network), or hosts whose names begin alike (a rack).
#pragma once
#include "model/model.h"
#include "words/text.h"

#include <cstdint>
#include <optional>
#include <span>

namespace ringside::report {

struct SharedPlace {
    words::Text text;   ///< "all 8 ranks of host node12"
    words::Text advice; ///< a sentence: what to look at there
    double chance = 0;  ///< largest probability that as many ranks are in one such place by chance
};

/// Returns the place that holds all of these ranks (rank numbers), if they are at least three quarters of its
/// ranks, there are others of its kind, and chance is below 1 % together for all kinds of places.
[[nodiscard]] std::optional<SharedPlace> sharedPlace(const model::Model& model,
                                                     std::span<const std::int64_t> ranks);

} // namespace ringside::report
