// SPDX-License-Identifier: Apache-2.0
#include "sampled/cgroup.h"

#include "host/input_file.h"
#include "host/proc_text.h"

#include <algorithm>
#include <sstream>

namespace ringside::collector::sampled {
namespace {

bool listHas(std::string_view list, std::string_view word)
{
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        if (list.substr(0, comma) == word) {
            return true;
        }
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
    return false;
}

/// The process's path in the hierarchy that has the CPU controller: lines are "ID:CONTROLLERS:PATH".
std::optional<std::string_view> pathIn(std::string_view cgroup, bool unified)
{
    while (const auto line = host::takeLine(cgroup)) {
        const std::size_t first = line->find(':');
        const std::size_t second = first == std::string_view::npos ? first : line->find(':', first + 1);
        if (second == std::string_view::npos) {
            continue;
        }
        const std::string_view controllers = line->substr(first + 1, second - first - 1);
        if (unified ? controllers.empty() : listHas(controllers, "cpu")) {
            return line->substr(second + 1);
        }
    }
    return std::nullopt;
}

/// A line of mountinfo: "ID PARENT MAJOR:MINOR ROOT MOUNT OPTIONS [TAGS] - TYPE SOURCE SUPEROPTIONS".
std::optional<CgroupPlace> placeIn(std::string_view line, std::string_view path, bool unified)
{
    std::string_view rest = line;
    for (int word = 0; word < 3; ++word) {
        host::takeWord(rest);
    }
    const std::string_view root = host::takeWord(rest);
    const std::string_view mount = host::takeWord(rest);
    std::string_view word = host::takeWord(rest);
    while (!word.empty() && word != "-") {
        word = host::takeWord(rest);
    }
    const std::string_view type = host::takeWord(rest);
    host::takeWord(rest);
    const bool wanted =
        unified ? type == "cgroup2" : type == "cgroup" && listHas(host::takeWord(rest), "cpu");
    if (!wanted) {
        return std::nullopt;
    }
    // In a container the mount may show the process's own group at its root.
    if (root != "/" && path.starts_with(root)) {
        path.remove_prefix(root.size());
    }
    return CgroupPlace{unified, std::string(mount), path == "/" ? "" : std::string(path)};
}

std::string textOf(const std::string& path)
{
    host::InputFile file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

bool hasQuota(const CgroupPlace& place, const std::string& folder)
{
    const std::string text = textOf(folder + (place.unified ? "/cpu.max" : "/cpu.cfs_quota_us"));
    std::string_view rest = text;
    return host::takeNumberWord(rest).has_value(); // none is "max", or -1
}

} // namespace

std::optional<CgroupPlace> placeOf(std::string_view cgroup, std::string_view mounts)
{
    for (const bool unified : {false, true}) {
        const auto path = pathIn(cgroup, unified);
        for (std::string_view rest = mounts; path;) {
            const auto line = host::takeLine(rest);
            if (!line) {
                break;
            }
            if (auto place = placeIn(*line, *path, unified)) {
                return place;
            }
        }
    }
    return std::nullopt;
}

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
    const auto place = placeOf(textOf("/proc/self/cgroup"), textOf("/proc/self/mountinfo"));
    if (!place) {
        m_reason = "no control group with the CPU controller is mounted";
        return;
    }
    constexpr std::size_t kMostLevels = 4;
    for (std::string path = place->path; m_levels.size() < kMostLevels; path.resize(path.rfind('/'))) {
        if (host::KeptFile stat;
            hasQuota(*place, place->mount + path) && stat.open(place->mount + path + "/cpu.stat")) {
            m_levels.push_back(std::move(stat));
        }
        if (path.find('/') == std::string::npos) {
            break;
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
