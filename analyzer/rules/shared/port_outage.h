// SPDX-License-Identifier: Apache-2.0
// Finds when RDMA ports were down, and which of them were down while another port waited for answers. The
// trace holds no addresses of peers, so ports are related by time alone, and the text of the finding says so.
#pragma once
#include "rules/shared/ports.h"

namespace ringside::rules {

/// Returns exact outages from events of the port: from each Down event to the Up event after it, or to the
/// end of sampling.
[[nodiscard]] std::vector<model::Interval> outagesByEvents(const metrics::Port& port);

/// Adds to the finding which other ports were down while this port's counters increased, or up to
/// `patienceNs` before: the time that the transport waits before it counts a missing answer.
void addOutages(const Context& context, const metrics::Port& port, const std::vector<model::Interval>& spans,
                double patienceNs, Finding& finding);

} // namespace ringside::rules
