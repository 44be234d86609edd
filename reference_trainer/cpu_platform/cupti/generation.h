// SPDX-License-Identifier: Apache-2.0
// Which functions clients use: the older ones, or those of a subscriber (_v2, since CUDA 13.2). The real
// library refuses to mix them.
#pragma once
#include <cupti.h>

namespace ringside::cupti {

enum class Generation : unsigned char { Older, OfSubscriber };

/// Returns whether a client of these functions is refused now, because another uses the other ones.
[[nodiscard]] CUptiResult admit(Generation generation);
/// A client has set its callbacks by these functions.
void enterGeneration(Generation generation);
/// The subscriber has gone.
void leaveGeneration();

} // namespace ringside::cupti
