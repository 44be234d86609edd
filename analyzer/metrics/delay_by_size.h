// SPDX-License-Identifier: Apache-2.0
// Whether bytes or something else makes messages late. A link that is slow delays large messages more than
// small ones; a host whose threads run late delays both alike.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ringside::metrics {

/// Transfers of one kind and size over one communicator.
struct SizedTransfers {
    double bytes = 0;
    double bestNs = 0; ///< best tenth
    double medianNs = 0;
    double medianErrorNs = 0; ///< standard error of the median
};
[[nodiscard]] SizedTransfers sizedTransfers(double bytes, const std::vector<std::int64_t>& transferNs);

/// How much longer than at its best a byte usually takes, at least: of what the median of `of` is above its
/// best tenth, the part that grows with the size, two standard errors less. Against each other size the
/// others' delays are what no byte explains; the median over them counts. Null: no other size is half or
/// twice as large, so the two cannot be told apart.
[[nodiscard]] std::optional<double> delayNsPerByte(const SizedTransfers& of,
                                                   std::span<const SizedTransfers> others);

} // namespace ringside::metrics
