// SPDX-License-Identifier: Apache-2.0
// Which of several processes that ended without closing their traces was the first: the one to look at, since
// the others often only follow it.
#pragma once
#include "hang/hang.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ringside::hang {

struct FirstToDie {
    std::size_t rank = 0; ///< of the ranks' list
    /// How long before the next process, where `ringside record` saw both ends; null: by the last signs of
    /// life, or it is the only one.
    std::optional<std::int64_t> beforeNs;
    bool alone = false; ///< no other process died
};

/// `ranks` are those of the model, in its order. Null: nobody died, or the ends lie too close for what is
/// known of them, or a rank of whom nothing is known may have died before.
[[nodiscard]] std::optional<FirstToDie> firstToDie(const model::Model& model,
                                                   const std::vector<RankReport>& ranks);

/// Who died, who was the first and by what that is known. Of ranks of which one died at least.
[[nodiscard]] std::string diedSentence(const std::vector<RankReport>& ranks,
                                       const std::optional<FirstToDie>& first);

} // namespace ringside::hang
