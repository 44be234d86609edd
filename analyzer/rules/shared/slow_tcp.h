// SPDX-License-Identifier: Apache-2.0
// Rule slow_link on TCP: which link between hosts data is under way on much longer than on others, by what
// the kernels counted. The cost and severity of a slow link are here too, for whoever finds one.
#pragma once
#include "metrics/probed.h"
#include "metrics/tcp_links.h"
#include "rules/shared/support.h"
#include "values/quantile.h"

#include <algorithm>
#include <functional>
#include <set>

namespace ringside::rules {

/// What is said of any slow link; `part`: of the rate it could have.
[[nodiscard]] Finding slowFinding(const Context& context, double part);

using TcpLinks = std::vector<const metrics::TcpLink*>;

/// Those that carry the run's data; what goes back on them is little.
[[nodiscard]] TcpLinks carriers(const std::vector<metrics::TcpLink>& all);

/// What is expected of a link, and from where.
struct UsualTcp {
    double gbs = 0;
    double deliveryGBs = 0; ///< 0: the kernel had no estimate
    double part = 0;        ///< below this part of it a link is slow
    std::string_view from;
};

constexpr std::size_t kLeastTcpLinks = 3; // of two nobody knows which is the slow one

/// What the run's own links do, or a probe found between its hosts if that asks for more. Null: neither.
[[nodiscard]] std::optional<UsualTcp> usualOf(const Context& context, const TcpLinks& links);

/// Several findings about one host's links as one.
[[nodiscard]] std::vector<Finding> joined(const Context& context, std::vector<Finding> findings,
                                          std::size_t host);

[[nodiscard]] std::vector<Finding> slowByTcp(const Context& context, const TcpLinks& links,
                                             const UsualTcp& usual);

} // namespace ringside::rules
