// SPDX-License-Identifier: Apache-2.0
// Finds slow TCP links between hosts for rule slow_link: on a slow link data is under way much longer than on
// the others, by what the kernels counted. Other parts of slow_link use slowFinding too.
#pragma once
#include "metrics/probed.h"
#include "metrics/tcp_links.h"
#include "rules/shared/support.h"
#include "values/quantile.h"

#include <algorithm>
#include <functional>
#include <set>

namespace ringside::rules {

/// Returns a finding with the cost and severity of a slow link. `part` is its rate as a share of the rate it
/// could have.
[[nodiscard]] Finding slowFinding(const Context& context, double part);

using TcpLinks = std::vector<const metrics::TcpLink*>;

/// Returns the links that carry the run's data. The return direction carries little and is left out.
[[nodiscard]] TcpLinks carriers(const std::vector<metrics::TcpLink>& all);

/// The rate expected of a link, and its source.
struct UsualTcp {
    double gbs = 0;
    double deliveryGBs = 0;                ///< 0 if the kernel had no estimate
    double part = 0;                       ///< a link below this share of it is slow
    const words::Template* from = nullptr; ///< "of what other links reach in this run"
};

constexpr std::size_t kLeastTcpLinks = 3; // with two links it is not known which one is slow

/// Returns what the run's own links reach, or what a probe measured between its hosts if that is more
/// demanding. Returns null if there is neither.
[[nodiscard]] std::optional<UsualTcp> usualOf(const Context& context, const TcpLinks& links);

/// Joins several findings about the links of one host into one.
[[nodiscard]] std::vector<Finding> joined(const Context& context, std::vector<Finding> findings,
                                          std::size_t host);

[[nodiscard]] std::vector<Finding> slowByTcp(const Context& context, const TcpLinks& links,
                                             const UsualTcp& usual);

} // namespace ringside::rules
