// SPDX-License-Identifier: Apache-2.0
// The GPUs of this machine as NVML shows them now, with the processes that use them. Null: NVML does not
// tell.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::attach {

struct GpuProcess {
    /// In the host's pid namespace: in a container it may belong to no process, or to another one.
    std::int64_t pid = 0;
    std::optional<std::int64_t> memoryBytes;
};

struct Gpu {
    std::int64_t index = 0; ///< NVML's, which is the order on the PCIe bus
    std::string name;
    std::string busId;                              ///< "00000000:17:00.0"
    std::optional<std::int64_t> utilizationPercent; ///< share of NVML's last period in which a kernel ran
    std::optional<std::int64_t> memoryUsedBytes;
    std::optional<std::int64_t> memoryTotalBytes;
    std::optional<std::int64_t> smClockMhz;
    std::optional<std::int64_t> largestSmClockMhz;
    std::optional<std::int64_t> powerMilliwatts;
    std::optional<std::int64_t> temperatureCelsius;
    std::optional<std::int64_t> clockReasons; ///< bits of nvmlClocksEventReason*
    std::optional<std::vector<GpuProcess>> processes;
    std::string error; ///< why nothing else is known: a lost GPU for example
};

struct Gpus {
    std::vector<Gpu> gpus;
    std::string reason; ///< why there are none, or why some are missing; empty: all are there
};

/// Asks NVML. May not return if a driver is stuck: call it in a process that can be ended.
[[nodiscard]] Gpus readGpus();

[[nodiscard]] std::string formatGpus(const Gpus& gpus);
/// Returns what formatGpus() wrote; of any other text, a reason that says so.
[[nodiscard]] Gpus parseGpus(std::string_view text);

/// Returns what is wrong with a GPU by itself, "clocks held down by heat"; empty if nothing is.
[[nodiscard]] std::string wrongWith(const Gpu& gpu);

} // namespace ringside::attach
