// SPDX-License-Identifier: Apache-2.0
// Facts of a host's GPUs from the output of `nvidia-smi -q -x`.
#pragma once
#include "doctor/facts.h"

namespace ringside::doctor {

/// Adds facts "gpu.ADDRESS.*" (nvml_facts.h lists their names). Missing values and "N/A" are omitted. Reads
/// as much as possible of a damaged text.
void addNvidiaSmi(std::string_view xml, Facts& facts);

} // namespace ringside::doctor
