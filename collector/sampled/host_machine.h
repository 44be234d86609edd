// SPDX-License-Identifier: Apache-2.0
// Samples the machine as a whole: waiting for CPUs, memory and disks, CPU time, and available memory.
// One process a host samples it (once_a_host.h).
#pragma once
#include "host/kept_file.h"
#include "sampled/source.h"

#include <array>
#include <optional>
#include <string_view>

namespace ringside::collector::sampled {

/// Parses the first line of /proc/stat: clock ticks, summed over all CPUs.
struct CpuTicks {
    std::uint64_t busy = 0;
    std::uint64_t idle = 0;
    std::uint64_t ioWait = 0;
    std::uint64_t stolen = 0; ///< by other guests of the hypervisor
};
[[nodiscard]] std::optional<CpuTicks> parseCpuTicks(std::string_view text);

/// Parses the total of a line of /proc/pressure/*: us in which `who` ("some" or "full") tasks were
/// stalled.
[[nodiscard]] std::optional<std::uint64_t> parsePressure(std::string_view text, std::string_view who);

struct Load {
    std::uint64_t hundredths = 0; ///< of the last minute's load
    std::uint64_t runnable = 0;   ///< tasks, at this moment
};
[[nodiscard]] std::optional<Load> parseLoad(std::string_view text);

class HostMachine final : public Source {
public:
    HostMachine();
    [[nodiscard]] const char* name() const override { return "machine"; }
    void open() override;
    void read(Readings& readings, Pace pace) override;
    [[nodiscard]] std::string reason() const override { return {}; }

private:
    struct Pressure {
        const char* path;
        host::KeptFile file;
        Series some;
        Series full;
    };
    void readPressure(Readings& readings);
    void readLoad(Readings& readings);
    void readCpu(Readings& readings);
    void readMemory(Readings& readings);

    host::KeptFile m_stat;
    host::KeptFile m_load;
    host::KeptFile m_memory;
    std::array<Pressure, 3> m_pressures;
    Series m_loadAverage{"machine", trace::SeriesName::LoadAverage};
    Series m_runnable{"machine", trace::SeriesName::RunnableTasks};
    Series m_busy{"machine", trace::SeriesName::CpuBusy};
    Series m_idle{"machine", trace::SeriesName::CpuIdle};
    Series m_ioWait{"machine", trace::SeriesName::CpuIoWait};
    Series m_stolen{"machine", trace::SeriesName::CpuStolen};
    Series m_available{"machine", trace::SeriesName::MemoryAvailable};
};

} // namespace ringside::collector::sampled
