// SPDX-License-Identifier: Apache-2.0
// Which ranks a viewer wants to see.
#pragma once
#include "live/view.h"

#include <string_view>

namespace ringside::live {

/// Numbers and ranges ("0-7,12"), a state ("hanging") or a part of a host's name. An empty filter matches all
/// ranks.
[[nodiscard]] bool matches(const RankView& rank, std::string_view filter);

} // namespace ringside::live
