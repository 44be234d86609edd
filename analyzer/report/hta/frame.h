// SPDX-License-Identifier: Apache-2.0
// A rank's events as HolisticTraceAnalysis 0.6.0 (HTA) loads them, with what that does to times and to whose
// launch a kernel is taken for. Only the tables of `--format hta-csv` stand on it; our own metrics never do.
#pragma once
#include "report/report.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ringside::report::hta {

/// What HTA takes a kernel for by its name alone.
enum class KernelType : std::uint8_t { Computation, Communication, Memory, Other };
[[nodiscard]] KernelType kernelTypeOf(std::string_view name);
[[nodiscard]] std::string_view nameOf(KernelType type); ///< "COMPUTATION"

/// Times are us and floating point, as HTA's are: its rounding depends on how a double rounds.
struct Event {
    double ts = 0.0; ///< after the first event of all ranks
    double dur = 0.0;
    double bandwidth = 0.0; ///< of a copy, GB/s
    std::int64_t stream = -1;
    std::int64_t correlation = -1;
    std::int64_t partner = -1; ///< index of the other side of a launch; 0 (event #0!) where it is missing
    std::uint32_t index = 0;   ///< among all events of the file
    std::uint32_t name = 0;    ///< in Frame::names
    bool isDeviceWork = false; ///< kernels, copies and sets, by category
    bool isDevice = false;     ///< HTA's idea of a device event: stream and correlation, or two names

    /// What all analyses but that of idle time call a kernel.
    [[nodiscard]] bool isKernel() const { return stream != -1; }
    [[nodiscard]] double end() const { return ts + dur; }
};

struct Frame {
    std::int64_t rank = 0;
    std::vector<Event> events;
    std::vector<std::string> names;
    std::vector<KernelType> types; ///< by name

    [[nodiscard]] KernelType typeOf(const Event& event) const { return types[event.name]; }
};

/// All ranks of a run that have events, by rank, aligned and without the last profiler step where there are
/// several. Reads files of the PyTorch profiler once more; of native runs the rows are taken for such events.
/// Throws Error (Unusable) where so many events share a correlation that HTA's joins have no bounds.
[[nodiscard]] std::vector<Frame> loadFrames(const Report& report);

} // namespace ringside::report::hta
