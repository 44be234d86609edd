// SPDX-License-Identifier: Apache-2.0
// Facts of this host's GPUs from NVML.
#pragma once

namespace ringside::doctor {

/// Loads libnvidia-ml.so.1, which may hang, and writes a line "FACT VALUE" for each fact of a GPU:
/// gpu.ADDRESS. and persistence_mode, fabric_state, fabric_status, ecc_uncorrected, row_remap_pending,
/// row_remap_failed or slowdowns. Values are written as nvidia-smi writes them. Writes nothing if there is no
/// driver.
void writeNvmlFacts(int out);

} // namespace ringside::doctor
