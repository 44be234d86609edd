// SPDX-License-Identifier: Apache-2.0
// What kind of fault a port's counters speak of. Measured on adapters with one fault planted at a time
// (reference: labelled fault signatures of RoCE adapters): which counters move tells the kinds apart, where
// one counter alone does not.
#pragma once
#include "rules/ports.h"

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

/// Null: none of them moved in these spans.
[[nodiscard]] inline const LinkCause* linkCauseIn(const metrics::Port& port,
                                                  const std::vector<model::Interval>& spans)
{
    const std::vector<model::Interval> moved = merged(spans);
    for (const LinkCause& cause : kLinkCauses) {
        for (const std::string_view metric : cause.metrics) {
            for (const metrics::Gain& each : port.gains(metric)) {
                if (each.gain > 0 && overlapsAny(moved, each.between)) {
                    return &cause;
                }
            }
        }
    }
    return nullptr;
}

/// Says it in the finding's title.
inline void addCause(const metrics::Port& port, const std::vector<model::Interval>& spans, Finding& finding)
{
    const LinkCause* const cause = linkCauseIn(port, spans);
    finding.title += cause != nullptr ? fmt::format("; what moved at that time speaks of {}", cause->words)
                                      : std::string("; nothing else moved at that time that would say where");
}

} // namespace ringside::rules
