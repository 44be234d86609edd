// SPDX-License-Identifier: Apache-2.0
// What a host is doing, without a recording: its GPUs, the processes that use them, its CPUs and memory.
#pragma once
#include "attach/dcgm_text.h"
#include "attach/gpu.h"
#include "attach/job_process.h"
#include "report/report.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ringside::attach {

struct HostView {
    std::string host;
    Gpus gpus;
    std::vector<JobProcess> processes; ///< those that use a GPU or that a launcher gave a rank
    std::int64_t cpus = 0;
    std::optional<double> load; ///< of the last minute: threads that run, or wait for a CPU or a disk
    std::optional<std::int64_t> memoryAvailableBytes;
    std::optional<std::int64_t> memoryTotalBytes;
    std::optional<std::vector<DcgmGpu>> dcgm; ///< null: no text of DCGM's exporter was given
    std::optional<report::Report> ports;      ///< of its RDMA devices; null if it has none
};

/// Returns the processes of this machine that use one of `gpus`, or that have a rank and have loaded CUDA or
/// NCCL, by rank, then by process id.
[[nodiscard]] std::vector<JobProcess> processesOfHost(const Gpus& gpus);

/// Reads CPUs, load and memory from /proc.
void readMachine(HostView& view);

[[nodiscard]] std::string formatText(const HostView& view);
/// As ringside-host-1.schema.json describes it.
[[nodiscard]] std::string formatJson(const HostView& view);

} // namespace ringside::attach
