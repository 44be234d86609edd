// SPDX-License-Identifier: Apache-2.0
#include "cli/pidfd.h"

#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ringside::cli {
namespace {

/// First version of struct pidfd_info of linux/pidfd.h, which the headers of Debian 12 do not have yet.
struct Info {
    std::uint64_t mask = 0;
    std::uint64_t cgroup = 0;
    std::uint32_t ids[11]{};
    std::int32_t exitCode = 0;
};
static_assert(sizeof(Info) == 64);
constexpr unsigned long kGetInfo = _IOWR(0xFF, 11, Info); // PIDFD_GET_INFO
constexpr std::uint64_t kExit = 1U << 3U;                 // PIDFD_INFO_EXIT

} // namespace

int openPidfd(std::uint32_t pid)
{
    return static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0U));
}

std::optional<int> collectedStatus(int pidfd)
{
    Info info;
    info.mask = kExit;
    const bool told = ioctl(pidfd, kGetInfo, &info) == 0 && (info.mask & kExit) != 0;
    return told ? std::optional<int>(info.exitCode) : std::nullopt;
}

} // namespace ringside::cli
