// SPDX-License-Identifier: Apache-2.0
// What NVML says of this host's GPUs, as facts.
#pragma once

namespace ringside::doctor {

/// Loads libnvidia-ml.so.1, which may hang, and writes a line "FACT VALUE" for each fact of a GPU:
/// gpu.ADDRESS. and persistence_mode, fabric_state, fabric_status, ecc_uncorrected, row_remap_pending,
/// row_remap_failed, slowdowns, with the words of nvidia-smi. Nothing where there is no driver.
void tellNvmlFacts(int out);

} // namespace ringside::doctor
