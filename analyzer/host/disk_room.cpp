// SPDX-License-Identifier: Apache-2.0
#include "host/disk_room.h"

#include <sys/statvfs.h>

#include <algorithm>

namespace ringside::host {

std::optional<DiskRoom> diskRoom(const std::string& path)
{
    constexpr std::uint64_t kShare = 8;
    constexpr std::uint64_t kMostReserve = std::uint64_t{64} << 20;
    struct statvfs status {};
    if (statvfs(path.c_str(), &status) != 0) {
        return std::nullopt;
    }
    const std::uint64_t block = status.f_frsize;
    return DiskRoom{status.f_bavail * block, std::min(status.f_blocks * block / kShare, kMostReserve)};
}

} // namespace ringside::host
