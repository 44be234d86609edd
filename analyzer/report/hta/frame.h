// SPDX-License-Identifier: Apache-2.0
// A rank's events as HolisticTraceAnalysis 0.6.0 (HTA) loads them, with its rounding of times and its
// assignment of kernels to launches. Only the tables of `--format hta-csv` use it; our own metrics never do.
#pragma once
#include "report/report.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ringside::report::hta {

/// The type that HTA assigns to a kernel by its name alone.
enum class KernelType : std::uint8_t { Computation, Communication, Memory, Other };
[[nodiscard]] KernelType kernelTypeOf(std::string_view name);
[[nodiscard]] std::string_view nameOf(KernelType type); ///< "COMPUTATION"

/// Times are floating point us as in HTA, because its rounding depends on the rounding of doubles.
struct Event {
    double ts = 0.0; ///< relative to the first event of all ranks
    double dur = 0.0;
    double bandwidth = 0.0; ///< bandwidth of a copy, GB/s
    std::int64_t stream = -1;
    std::int64_t correlation = -1;
    /// Index of the kernel of a launch, or of the launch of a kernel. Missing partners get 0, the index of
    /// event #0, as in HTA.
    std::int64_t partner = -1;
    std::uint32_t index = 0;   ///< index among all events of the file
    std::uint32_t name = 0;    ///< index of Frame::names
    bool isDeviceWork = false; ///< a kernel, copy or memset, by category
    bool isDevice = false; ///< what HTA counts as a device event: one with stream and correlation, or with
                           ///< one of two names

    /// Returns true for what all analyses except that of idle time count as kernels.
    [[nodiscard]] bool isKernel() const { return stream != -1; }
    [[nodiscard]] double end() const { return ts + dur; }
};

struct Frame {
    std::int64_t rank = 0;
    std::vector<Event> events;
    std::vector<std::string> names;
    std::vector<KernelType> types; ///< indexed by name

    [[nodiscard]] KernelType typeOf(const Event& event) const { return types[event.name]; }
};

/// Loads all ranks of a run that have events, ordered by rank and aligned. If there are several profiler
/// steps, the last one is left out. Files of the PyTorch profiler are read again; for native runs, the rows
/// are converted to such events. Throws Error (Unusable) if so many events share a correlation that HTA's
/// joins would be unbounded.
[[nodiscard]] std::vector<Frame> loadFrames(const Report& report);

} // namespace ringside::report::hta
