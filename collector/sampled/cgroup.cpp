// SPDX-License-Identifier: Apache-2.0
#include "sampled/cgroup.h"

#include "host/cgroup.h"
#include "host/proc_text.h"

namespace ringside::collector::sampled {
std::optional<Throttling> parseThrottling(std::string_view text)
{
    const auto times = host::numberOf(text, "nr_throttled");
    constexpr std::uint64_t kNsAUs = 1000;
    auto us = host::numberOf(text, "throttled_usec");
    if (const auto ns = host::numberOf(text, "throttled_time"); !us && ns) {
        us = *ns / kNsAUs;
    }
    return times && us ? std::optional(Throttling{*times, *us}) : std::nullopt;
}

void Cgroup::open()
{
    const auto place = host::cgroupPlace();
    if (!place) {
        m_reason = "no control group with the CPU controller is mounted";
        return;
    }
    for (const std::string& folder : host::cgroupFolders(*place)) {
        if (host::KeptFile stat; host::cpuQuota(*place, folder) && stat.open(folder + "/cpu.stat")) {
            m_levels.push_back(std::move(stat));
        }
    }
    if (host::KeptFile own; m_levels.empty() && own.open(place->mount + place->path + "/cpu.stat")) {
        m_levels.push_back(std::move(own));
    }
    std::array<char, 1024> buffer; // NOLINT(*-member-init): read as far as it is filled
    if (m_levels.empty() || !parseThrottling(m_levels[0].read(buffer).value_or(""))) {
        m_reason = "the control group of this process does not count throttling";
    }
}

void Cgroup::read(Readings& readings, Pace)
{
    if (!m_reason.empty()) {
        return;
    }
    readings.beginMoment();
    Throttling sum;
    for (const host::KeptFile& level : m_levels) {
        std::array<char, 1024> buffer; // NOLINT(*-member-init): read as far as it is filled
        const auto throttling = parseThrottling(level.read(buffer).value_or(""));
        if (!throttling) {
            readings.miss(m_times, "cpu.stat of the control group could not be read at times");
            readings.miss(m_us, "cpu.stat of the control group could not be read at times");
            return;
        }
        sum.times += throttling->times;
        sum.us += throttling->us;
    }
    readings.add(m_times, sum.times);
    readings.add(m_us, sum.us);
}

} // namespace ringside::collector::sampled
