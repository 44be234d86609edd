// SPDX-License-Identifier: Apache-2.0
#include "record/network_file_system.h"

#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace ringside::collector {

bool isNetworkDirectory(const std::string& directory)
{
    // f_type, from linux/magic.h and the file systems' own sources.
    constexpr std::array<std::uint32_t, 12> kNetwork{
        0x6969,                 // NFS
        0xFF534D42, 0xFE534D42, // CIFS, SMB2
        0x517B,                 // SMB
        0x0BD00BD0,             // Lustre
        0x47504653,             // GPFS (Spectrum Scale)
        0x19830326,             // BeeGFS
        0x65735546,             // FUSE: anything, most often a network
        0x00C36400,             // Ceph
        0x01021997,             // 9p
        0xAAD7AAEA,             // PanFS
        0x5346414F,             // AFS
    };
    struct statfs status {};
    return statfs(directory.c_str(), &status) == 0 &&
           std::ranges::find(kNetwork, static_cast<std::uint32_t>(status.f_type)) != kNetwork.end();
}

} // namespace ringside::collector
