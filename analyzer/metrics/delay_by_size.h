// SPDX-License-Identifier: Apache-2.0
// Finds out whether the number of bytes delays messages, or something else. A slow link delays large messages
// more than small ones; a host whose threads run late delays both by the same time.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ringside::metrics {

/// Transfers of one kind and size over one communicator.
struct SizedTransfers {
    double bytes = 0;
    double bestNs = 0; ///< the 10th percentile
    double medianNs = 0;
    double medianErrorNs = 0; ///< standard error of the median
};
/// Summarizes the transfer times of one size.
[[nodiscard]] SizedTransfers sizedTransfers(double bytes, const std::vector<std::int64_t>& transferNs);

/// Returns a lower bound of how much longer a byte usually takes than at its best, in ns per byte. The delay
/// of a size is its median minus its best. The difference of two sizes' delays, less two standard errors,
/// divided by the difference of the sizes, is the part that grows with the size. The result is the median of
/// that over all `others` that are at most half or at least twice as large. Null if there are none, because
/// the size then cannot be distinguished from other causes.
[[nodiscard]] std::optional<double> delayNsPerByte(const SizedTransfers& of,
                                                   std::span<const SizedTransfers> others);

} // namespace ringside::metrics
