// SPDX-License-Identifier: Apache-2.0
// From when on a direction between two hosts is judged to be bad, over TCP and over RDMA. What is usual is
// the median of all directions, or of the rails beside it.
#pragma once

namespace ringside::probe {

inline constexpr double kSlowShare = 0.70; ///< share of the usual bandwidth, as in rule slow_link
inline constexpr double kSlowOfTwo = 0.5;  ///< share of the other direction's bandwidth, or of the line rate
inline constexpr double kFarTimes = 3;     ///< times the usual round trip
inline constexpr double kFarUs = 100;      ///< minimum difference: less is noise of the scheduler
inline constexpr double kMostRetransmits = 4; ///< a burst loses a few packets while TCP finds the rate

} // namespace ringside::probe
