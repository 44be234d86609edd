// SPDX-License-Identifier: Apache-2.0
// How many iterations of the busy kernel last a given time, from two measurements on the device it runs on.
#pragma once
#include <algorithm>
#include <limits>

namespace ringside::trainer {

/// `elapsedMs` is what `measured` iterations took with their launch, `twiceMs` what twice as many took. The
/// slope leaves the launch out; where a disturbed measurement makes it small or negative, half of the first
/// time stands in, so that the answer is at most twice what was asked for and never endless.
[[nodiscard]] inline unsigned iterationsLasting(double ms, unsigned measured, double elapsedMs,
                                                double twiceMs)
{
    const double lengthMs = std::max({twiceMs - elapsedMs, elapsedMs / 2, 1e-6});
    const double iterations = ms / lengthMs * measured;
    return static_cast<unsigned>(
        std::clamp(iterations, 1.0, static_cast<double>(std::numeric_limits<unsigned>::max())));
}

} // namespace ringside::trainer
