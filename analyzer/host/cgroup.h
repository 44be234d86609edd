// SPDX-License-Identifier: Apache-2.0
// The control group of this process, its CPU quota and its memory, in both versions of cgroups. A limit may
// be set on any group above the process's own.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::host {

/// The group of the process in the hierarchy of a controller.
struct CgroupPlace {
    bool unified = false; ///< cgroup v2
    std::string mount;    ///< "/sys/fs/cgroup"
    std::string path;     ///< of the group below the mount: "" or "/a/b"
};

/// Parses /proc/self/cgroup and /proc/self/mountinfo. Version 1 takes precedence if it has the controller.
[[nodiscard]] std::optional<CgroupPlace> cgroupPlaceIn(std::string_view cgroup, std::string_view mounts,
                                                       std::string_view controller = "cpu");

/// Returns the group of this process. `root` is empty, or a folder with a copy of a machine's /proc and /sys.
[[nodiscard]] std::optional<CgroupPlace> cgroupPlace(const std::string& root = "",
                                                     std::string_view controller = "cpu");

/// Returns the folders of the process's group and of the groups above it, from the inside out; at most four,
/// to limit the cost of reading.
[[nodiscard]] std::vector<std::string> cgroupFolders(const CgroupPlace& place);

/// CPU time that the group may use in each period.
struct CpuQuota {
    std::uint64_t us = 0;
    std::uint64_t periodUs = 0;
};
/// Returns null if the group of `folder` has no quota, or if it cannot be read.
[[nodiscard]] std::optional<CpuQuota> cpuQuota(const CgroupPlace& place, const std::string& folder);

/// Returns the bytes that the process's group, and those above it, leave until they reach their limit of
/// memory: the least of them. Cached files that the kernel can drop count as free. Null: there is no limit.
[[nodiscard]] std::optional<std::uint64_t> memoryLeft(const std::string& root = "");

} // namespace ringside::host
