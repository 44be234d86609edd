// SPDX-License-Identifier: Apache-2.0
// Collects the sampled ports and GPUs of a run, in run time.
#pragma once
#include "conditions/subject.h"
#include "metrics/samples.h"
#include "model/model.h"

#include <vector>

namespace ringside::metrics {

using conditions::Gain;
using conditions::GainsOverTime;
using conditions::PortEvent;
using Port = conditions::Subject;

/// Returns the RDMA ports of a run, ordered by host and name.
[[nodiscard]] std::vector<Port> portsOf(const model::Model& model);
/// Returns the GPU of each rank, in the order of ranks, and those that processes without ranks sampled.
[[nodiscard]] std::vector<conditions::Subject> gpusOf(const model::Model& model);

} // namespace ringside::metrics
