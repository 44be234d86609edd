// SPDX-License-Identifier: Apache-2.0
// Derives the kind of fault from a port's counters. The table was measured on adapters with one injected
// fault at a time (labelled fault signatures of RoCE adapters). The set of counters that increase identifies
// the fault where one counter alone does not.
#pragma once
#include "rules/shared/ports.h"
#include "words/link_cause.h"

#include <array>

namespace ringside::rules {

struct LinkCause {
    const words::Template* what;
    std::vector<trace::SeriesMetric> metrics; ///< at least one of them must have increased
};
/// Ordered by precedence: a fault of a lower layer also shows in the counters of the layers above it.
inline const std::array<LinkCause, 5> kLinkCauses{{
    {&words::link_cause::link,
     {"link_downed", "rx_errors", "symbol_errors", "link_error_recoveries", "link_integrity_errors",
      "rx_corrupt"}},
    {&words::link_cause::programs,
     {"remote_access_errors", "responder_access_errors", "responder_length_errors"}},
    {&words::link_cause::receiver, {"rnr_naks", "rx_no_buffer", "rnr_retries_exceeded"}},
    {&words::link_cause::congestion, {"ecn_marked", "cnp_handled", "cnp_sent"}},
    {&words::link_cause::peer,
     {"ack_timeouts", "retries_exceeded", "adaptive_retransmissions", "requester_retries"}},
}};

/// Appends the cause to the finding's title.
void addCause(const metrics::Port& port, const std::vector<model::Interval>& spans, Finding& finding);

} // namespace ringside::rules
