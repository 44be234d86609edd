// SPDX-License-Identifier: Apache-2.0
// DCGM's profiling fields, from the text that NVIDIA's dcgm-exporter gives to Prometheus. They are read where
// somebody else has switched them on: profiling takes counters that a job's own profiler may need.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::attach {

/// Null: the text has no such field for this GPU. Shares are means of the exporter's last period, from 0
/// to 1.
struct DcgmGpu {
    std::optional<std::int64_t> index; ///< label gpu
    std::string busId;                 ///< label pci_bus_id; empty before dcgm-exporter 3.3
    std::optional<double> smActive; ///< DCGM_FI_PROF_SM_ACTIVE: share of the multiprocessors that had a warp
    std::optional<double> tensorActive; ///< DCGM_FI_PROF_PIPE_TENSOR_ACTIVE: share of cycles of tensor cores
    std::optional<double> dramActive;   ///< DCGM_FI_PROF_DRAM_ACTIVE: share of cycles that moved memory
    std::optional<double> nvlinkTxBytesPerS; ///< DCGM_FI_PROF_NVLINK_TX_BYTES
    std::optional<double> nvlinkRxBytesPerS;
    std::optional<double> lastXid; ///< DCGM_FI_DEV_XID_ERRORS; 0: none
};

/// Returns the GPUs that the text (Prometheus' text format) has one of these fields of, in its order, at most
/// 1024. Lines of other metrics, and lines that are not as they should be, are left out. Where the text is of
/// several hosts (label Hostname), those of the first one are returned.
[[nodiscard]] std::vector<DcgmGpu> parseDcgmText(std::string_view text);

} // namespace ringside::attach
