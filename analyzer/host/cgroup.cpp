// SPDX-License-Identifier: Apache-2.0
#include "host/cgroup.h"

#include "host/input_file.h"
#include "host/proc_text.h"

#include <algorithm>
#include <sstream>

namespace ringside::host {
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

/// Returns the process's path in the hierarchy of the controller. Lines have the form
/// "ID:CONTROLLERS:PATH".
std::optional<std::string_view> pathIn(std::string_view cgroup, bool unified, std::string_view controller)
{
    while (const auto line = takeLine(cgroup)) {
        const std::size_t first = line->find(':');
        const std::size_t second = first == std::string_view::npos ? first : line->find(':', first + 1);
        if (second == std::string_view::npos) {
            continue;
        }
        const std::string_view controllers = line->substr(first + 1, second - first - 1);
        if (unified ? controllers.empty() : listHas(controllers, controller)) {
            return line->substr(second + 1);
        }
    }
    return std::nullopt;
}

/// Parses a line of mountinfo: "ID PARENT MAJOR:MINOR ROOT MOUNT OPTIONS [TAGS] - TYPE SOURCE SUPEROPTIONS".
std::optional<CgroupPlace> placeIn(std::string_view line, std::string_view path, bool unified,
                                   std::string_view controller)
{
    std::string_view rest = line;
    for (int word = 0; word < 3; ++word) {
        takeWord(rest);
    }
    const std::string_view root = takeWord(rest);
    const std::string_view mount = takeWord(rest);
    std::string_view word = takeWord(rest);
    while (!word.empty() && word != "-") {
        word = takeWord(rest);
    }
    const std::string_view type = takeWord(rest);
    takeWord(rest);
    const bool wanted = unified ? type == "cgroup2" : type == "cgroup" && listHas(takeWord(rest), controller);
    if (!wanted) {
        return std::nullopt;
    }
    // in a container, the root of the mount may be the process's own group
    if (root != "/" && path.starts_with(root)) {
        path.remove_prefix(root.size());
    }
    return CgroupPlace{unified, std::string(mount), path == "/" ? "" : std::string(path)};
}

std::string textOf(const std::string& path)
{
    InputFile file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

} // namespace

std::optional<CgroupPlace> cgroupPlaceIn(std::string_view cgroup, std::string_view mounts,
                                         std::string_view controller)
{
    for (const bool unified : {false, true}) {
        const auto path = pathIn(cgroup, unified, controller);
        for (std::string_view rest = mounts; path;) {
            const auto line = takeLine(rest);
            if (!line) {
                break;
            }
            if (auto place = placeIn(*line, *path, unified, controller)) {
                return place;
            }
        }
    }
    return std::nullopt;
}

std::optional<CgroupPlace> cgroupPlace(const std::string& root, std::string_view controller)
{
    auto place =
        cgroupPlaceIn(textOf(root + "/proc/self/cgroup"), textOf(root + "/proc/self/mountinfo"), controller);
    if (place) {
        place->mount.insert(0, root);
    }
    return place;
}

std::vector<std::string> cgroupFolders(const CgroupPlace& place)
{
    constexpr std::size_t kMostLevels = 4;
    std::vector<std::string> folders{place.mount + place.path};
    for (std::string path = place.path;
         path.rfind('/') != std::string::npos && folders.size() < kMostLevels;) {
        path.resize(path.rfind('/'));
        folders.push_back(place.mount + path);
    }
    return folders;
}

std::optional<CpuQuota> cpuQuota(const CgroupPlace& place, const std::string& folder)
{
    const std::string text =
        place.unified ? textOf(folder + "/cpu.max")
                      : textOf(folder + "/cpu.cfs_quota_us") + " " + textOf(folder + "/cpu.cfs_period_us");
    std::string_view rest = text;
    const auto us = takeNumberWord(rest); // "max" or -1 means no quota
    const auto periodUs = takeNumberWord(rest);
    return us && periodUs && *periodUs > 0 ? std::optional(CpuQuota{*us, *periodUs}) : std::nullopt;
}

std::optional<std::uint64_t> memoryLeft(const std::string& root)
{
    const auto place = cgroupPlace(root, "memory");
    std::optional<std::uint64_t> least;
    for (const std::string& folder : place ? cgroupFolders(*place) : std::vector<std::string>()) {
        const std::string limits =
            textOf(folder + (place->unified ? "/memory.max" : "/memory.limit_in_bytes"));
        const std::string usage =
            textOf(folder + (place->unified ? "/memory.current" : "/memory.usage_in_bytes"));
        std::string_view limitText = limits; // "max" means none
        std::string_view usageText = usage;
        const auto limit = takeNumberWord(limitText);
        const auto used = takeNumberWord(usageText);
        if (limit && used) {
            const std::uint64_t cached = numberOf(textOf(folder + "/memory.stat"),
                                                  place->unified ? "inactive_file" : "total_inactive_file")
                                             .value_or(0);
            const std::uint64_t busy = *used - std::min(*used, cached);
            least = std::min(least.value_or(*limit), *limit - std::min(*limit, busy));
        }
    }
    return least;
}

} // namespace ringside::host
