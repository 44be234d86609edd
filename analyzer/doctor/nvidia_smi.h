// SPDX-License-Identifier: Apache-2.0
// What `nvidia-smi -q -x` printed on a host, as facts of its GPUs: for those who have that and nothing else.
#pragma once
#include "doctor/facts.h"

namespace ringside::doctor {

/// Adds facts "gpu.ADDRESS.*" (nvml_facts.h has their names). What is not there, or "N/A", is left out. Reads
/// what it can of a damaged text.
void addNvidiaSmi(std::string_view xml, Facts& facts);

} // namespace ringside::doctor
