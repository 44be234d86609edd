// SPDX-License-Identifier: Apache-2.0
// The control group of this process, as far as it limits CPU time, in either version. A quota may lie above
// the process's own group.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::host {

/// Where the CPU controller shows the process's group.
struct CgroupPlace {
    bool unified = false; ///< cgroup v2
    std::string mount;    ///< "/sys/fs/cgroup"
    std::string path;     ///< of the group below it: "" or "/a/b"
};

/// From /proc/self/cgroup and /proc/self/mountinfo. Version 1 goes first where it has the CPU controller.
[[nodiscard]] std::optional<CgroupPlace> cgroupPlaceIn(std::string_view cgroup, std::string_view mounts);

/// Of this process. `root`: empty, or a folder with a copy of a machine's /proc and /sys.
[[nodiscard]] std::optional<CgroupPlace> cgroupPlace(const std::string& root = "");

/// The folders of the process's group and of those above it, from the inside out; four at most, so that a
/// reader's cost has an end.
[[nodiscard]] std::vector<std::string> cgroupFolders(const CgroupPlace& place);

/// CPU time that the group may use in each period.
struct CpuQuota {
    std::uint64_t us = 0;
    std::uint64_t periodUs = 0;
};
/// Nothing: `folder`'s group has no quota, or it cannot be read.
[[nodiscard]] std::optional<CpuQuota> cpuQuota(const CgroupPlace& place, const std::string& folder);

} // namespace ringside::host
