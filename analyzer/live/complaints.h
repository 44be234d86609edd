// SPDX-License-Identifier: Apache-2.0
// GPUs, links and hosts that are not well, from the latest samples.
#pragma once
#include "conditions/condition.h"
#include "live/snapshot.h"

namespace ringside::live {

/// A GPU, link or host that is not well.
struct Complaint {
    std::string host;
    std::string entity;
    std::string what;
};

/// Whether the series counts errors that a row of the table warns of.
[[nodiscard]] bool countsErrors(const Sample& sample);

/// Of the whole run, each thing once: the rows of the table that warn.
[[nodiscard]] std::vector<Complaint> findComplaints(const RunNow& run);

} // namespace ringside::live
