// SPDX-License-Identifier: Apache-2.0
// Computes the number of iterations of the busy kernel that last a given time, from two measurements on the
// device.
#pragma once
#include <algorithm>
#include <limits>

namespace ringside::trainer {

/// `elapsedMs` is the time of `measured` iterations with their launch, `twiceMs` the time of twice as many.
/// The slope excludes the launch. If a disturbed measurement makes it small or negative, half of the first
/// time is used instead, so that the result lasts at most twice the wanted time.
[[nodiscard]] inline unsigned iterationsLasting(double ms, unsigned measured, double elapsedMs,
                                                double twiceMs)
{
    const double lengthMs = std::max({twiceMs - elapsedMs, elapsedMs / 2, 1e-6});
    const double iterations = ms / lengthMs * measured;
    return static_cast<unsigned>(
        std::clamp(iterations, 1.0, static_cast<double>(std::numeric_limits<unsigned>::max())));
}

} // namespace ringside::trainer
