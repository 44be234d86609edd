// SPDX-License-Identifier: Apache-2.0
#include "sampled/host_machine.h"

#include "host/proc_text.h"

#include <unistd.h>

namespace ringside::collector::sampled {

std::optional<CpuTicks> parseCpuTicks(std::string_view text)
{
    if (host::takeWord(text) != "cpu") {
        return std::nullopt;
    }
    // user nice system idle iowait irq softirq steal; guests' time, which follows, is in user and nice
    // already.
    std::array<std::uint64_t, 8> ticks{};
    for (std::uint64_t& value : ticks) {
        const auto number = host::takeNumberWord(text);
        if (!number) {
            return std::nullopt;
        }
        value = *number;
    }
    return CpuTicks{ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6], ticks[3], ticks[4], ticks[7]};
}

std::optional<std::uint64_t> parsePressure(std::string_view text, std::string_view who)
{
    while (const auto line = host::takeLine(text)) {
        std::string_view rest = *line;
        if (host::takeWord(rest) != who) {
            continue;
        }
        constexpr std::string_view kTotal = "total=";
        for (std::string_view word = host::takeWord(rest); !word.empty(); word = host::takeWord(rest)) {
            if (word.starts_with(kTotal)) {
                return host::numberIn(word.substr(kTotal.size()));
            }
        }
    }
    return std::nullopt;
}

std::optional<Load> parseLoad(std::string_view text)
{
    const std::string_view average = host::takeWord(text);
    host::takeWord(text);
    host::takeWord(text);
    const std::string_view tasks = host::takeWord(text);
    const std::size_t point = average.find('.');
    const std::size_t slash = tasks.find('/');
    if (point == std::string_view::npos || average.size() - point != 3 || slash == std::string_view::npos) {
        return std::nullopt;
    }
    constexpr std::uint64_t kHundred = 100;
    const auto whole = host::times(host::numberIn(average.substr(0, point)), kHundred);
    const auto part = host::numberIn(average.substr(point + 1));
    const auto runnable = host::numberIn(tasks.substr(0, slash));
    return whole && part && runnable ? std::optional(Load{*whole + *part, *runnable}) : std::nullopt;
}

HostMachine::HostMachine()
    : m_pressures{{{"/proc/pressure/cpu",
                    {},
                    {"machine", trace::SeriesName::CpuPressureSome},
                    {"machine", trace::SeriesName::CpuPressureFull}},
                   {"/proc/pressure/memory",
                    {},
                    {"machine", trace::SeriesName::MemoryPressureSome},
                    {"machine", trace::SeriesName::MemoryPressureFull}},
                   {"/proc/pressure/io",
                    {},
                    {"machine", trace::SeriesName::IoPressureSome},
                    {"machine", trace::SeriesName::IoPressureFull}}}}
{}

void HostMachine::open()
{
    m_stat.open("/proc/stat");
    m_load.open("/proc/loadavg");
    m_memory.open("/proc/meminfo");
    for (Pressure& pressure : m_pressures) {
        pressure.file.open(pressure.path);
    }
}

void HostMachine::read(Readings& readings, Pace pace)
{
    readings.beginMoment();
    readPressure(readings);
    readLoad(readings);
    if (pace == Pace::OnceASecond) {
        readCpu(readings);
        readMemory(readings);
    }
}

void HostMachine::readPressure(Readings& readings)
{
    for (Pressure& pressure : m_pressures) {
        std::array<char, 512> buffer; // NOLINT(*-member-init): read as far as it is filled
        const auto text = pressure.file.read(buffer);
        for (auto [series, who] : {std::pair(&pressure.some, "some"), std::pair(&pressure.full, "full")}) {
            const auto total = text ? parsePressure(*text, who) : std::nullopt;
            if (total) {
                readings.add(*series, *total);
            } else {
                readings.miss(*series, std::string("this kernel does not show it in ") + pressure.path);
            }
        }
    }
}

void HostMachine::readLoad(Readings& readings)
{
    std::array<char, 128> buffer; // NOLINT(*-member-init): read as far as it is filled
    const auto text = m_load.read(buffer);
    const auto load = text ? parseLoad(*text) : std::nullopt;
    if (!load) {
        readings.miss(m_loadAverage, "/proc/loadavg cannot be read");
        readings.miss(m_runnable, "/proc/loadavg cannot be read");
        return;
    }
    readings.add(m_loadAverage, load->hundredths);
    readings.add(m_runnable, load->runnable);
}

// Once a second only: with hundreds of CPUs and interrupts the kernel takes a millisecond to write this file,
// whatever part of it is asked for.
void HostMachine::readCpu(Readings& readings)
{
    std::array<char, 256> buffer; // NOLINT(*-member-init): read as far as it is filled
    const auto text = m_stat.read(buffer);
    const auto ticks = text ? parseCpuTicks(*text) : std::nullopt;
    static const auto msATick = static_cast<std::uint64_t>(1000 / sysconf(_SC_CLK_TCK));
    for (auto [series, value] :
         {std::pair(&m_busy, &CpuTicks::busy), std::pair(&m_idle, &CpuTicks::idle),
          std::pair(&m_ioWait, &CpuTicks::ioWait), std::pair(&m_stolen, &CpuTicks::stolen)}) {
        if (const auto ms = ticks ? host::times((*ticks).*value, msATick) : std::nullopt) {
            readings.add(*series, *ms);
        } else {
            readings.miss(*series, "/proc/stat cannot be read");
        }
    }
}

void HostMachine::readMemory(Readings& readings)
{
    std::array<char, 2048> buffer; // NOLINT(*-member-init): read as far as it is filled
    constexpr std::uint64_t kKib = 1024;
    if (const auto bytes =
            host::times(host::numberOf(m_memory.read(buffer).value_or(""), "MemAvailable:"), kKib)) {
        readings.add(m_available, *bytes);
    } else {
        readings.miss(m_available, "/proc/meminfo does not show it");
    }
}

} // namespace ringside::collector::sampled
