// SPDX-License-Identifier: Apache-2.0
// When RDMA ports were down, and which of them was while another one waited for answers: the trace holds no
// addresses of peers, so ports are joined by time alone, and the words say so.
#pragma once
#include "rules/shared/ports.h"

namespace ringside::rules {

/// By events, exact: from each going down to the coming back after it, or the end of sampling.
[[nodiscard]] std::vector<model::Interval> outagesByEvents(const metrics::Port& port);

/// Says in the finding which other ports were down while this one's counters moved, or up to `patienceNs`
/// before: so long the transport waits until it counts that no answer came.
void addOutages(const Context& context, const metrics::Port& port, const std::vector<model::Interval>& spans,
                double patienceNs, Finding& finding);

} // namespace ringside::rules
