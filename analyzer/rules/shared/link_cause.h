// SPDX-License-Identifier: Apache-2.0
// What kind of fault a port's counters speak of. Measured on adapters with one fault planted at a time
// (reference: labelled fault signatures of RoCE adapters): which counters move tells the kinds apart, where
// one counter alone does not.
#pragma once
#include "rules/shared/ports.h"

#include <array>

namespace ringside::rules {

struct LinkCause {
    std::string_view words;
    std::array<std::string_view, 6> metrics; ///< any of which must have moved
};
/// The first that moved goes before all others: what is broken below shows above, too.
inline constexpr std::array<LinkCause, 5> kLinkCauses{{
    {"the physical link",
     {"link_downed", "rx_errors", "symbol_errors", "link_error_recoveries", "link_integrity_errors",
      "rx_corrupt"}},
    {"an error of the programs", {"remote_access_errors"}},
    {"the receiver's software, which is too slow", {"rnr_naks", "rx_no_buffer", "rnr_retries_exceeded"}},
    {"congestion", {"ecn_marked", "cnp_handled", "cnp_sent"}},
    {"the peer, or the path to it",
     {"ack_timeouts", "retries_exceeded", "adaptive_retransmissions", "requester_retries"}},
}};

/// Says it in the finding's title.
void addCause(const metrics::Port& port, const std::vector<model::Interval>& spans, Finding& finding);

} // namespace ringside::rules
