// SPDX-License-Identifier: Apache-2.0
// GPUs, links and hosts that are not well, from the latest samples.
#pragma once
#include "live/snapshot.h"

namespace ringside::live {

/// A GPU, link or host that is not well.
struct Complaint {
    std::string host;
    std::string entity;
    std::string what;
};

/// What a sample says that is wrong by itself, whatever came before; empty: nothing.
[[nodiscard]] std::string wrongWith(const Sample& sample);

/// Whether the series counts errors that do not happen on a healthy machine.
[[nodiscard]] bool countsErrors(const Sample& sample);
/// Whether the GPU's clocks are held down by heat or by its power supply. At full load, the limit of power by
/// software is normal and does not count.
[[nodiscard]] bool isThrottled(const Sample& sample);

/// Of the whole run, each thing once.
[[nodiscard]] std::vector<Complaint> findComplaints(const RunNow& run);

} // namespace ringside::live
