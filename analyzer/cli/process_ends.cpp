// SPDX-License-Identifier: Apache-2.0
#include "cli/process_ends.h"

#include "host/monotonic.h"
#include "trace/read/process_state.h"

#include <ringside/trace/gone.h>
#include <ringside/trace/recover.h>

#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>
#include <system_error>

namespace ringside::cli {
namespace {

// Process descriptors: readable when the process has ended, and never valid for another process with the same
// id.

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

/// Returns a descriptor that the caller closes, or -1 if the process has ended or the kernel (before Linux
/// 5.3) or its access rules refuse.
int openPidfd(std::uint32_t pid)
{
    return static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0U));
}

/// Returns the wait(2) status of a process that its parent has collected, or null if it is not collected or
/// the kernel (before Linux 6.15) does not support the request.
std::optional<int> collectedStatus(int pidfd)
{
    Info info;
    info.mask = kExit;
    const bool told = ioctl(pidfd, kGetInfo, &info) == 0 && (info.mask & kExit) != 0;
    return told ? std::optional<int>(info.exitCode) : std::nullopt;
}

namespace fs = std::filesystem;

constexpr int kLookEveryMs = 100; ///< for processes that have begun
/// After a while without new processes: the run directory of a large job lies on a file system that all its
/// hosts share, and each of them reads it.
constexpr int kLookSeldomMs = 10'000;
/// attempts to find the first ring of a process; it appears within moments, or the process is on another host
constexpr int kLooks = 50;

bool sharesOurClock(std::uint32_t pid)
{
    std::error_code ours;
    std::error_code its;
    const fs::path mine = fs::read_symlink("/proc/self/ns/time", ours);
    const fs::path other = fs::read_symlink("/proc/" + std::to_string(pid) + "/ns/time", its);
    return ours ? ours == its : !its && mine == other; // kernels before 5.6 have one clock for all
}

/// Returns how the process ended. Its parent may collect it at any moment, so that both ways are tried twice.
std::optional<int> statusOf(int pidfd, std::uint32_t pid, std::uint64_t startTicks)
{
    for (int attempt = 0; attempt < 2; ++attempt) {
        if (const auto status = trace::uncollectedStatus(pid, startTicks)) {
            return status;
        }
        if (const auto status = collectedStatus(pidfd)) {
            return status;
        }
    }
    return std::nullopt;
}

} // namespace

ProcessEnds::ProcessEnds(fs::path runDirectory)
    : m_directory(std::move(runDirectory)), m_stop(eventfd(0, EFD_CLOEXEC)), m_polled{{m_stop, POLLIN, 0}}
{
    sigset_t all; // the thread inherits the mask
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
        if (m_stop >= 0) { // without it, the thread could not be stopped
            m_thread = std::thread([this] { watch(); });
        }
    } catch (const std::system_error&) { // no thread can be started: ends are not recorded
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ProcessEnds::~ProcessEnds()
{
    if (m_thread.joinable()) {
        eventfd_write(m_stop, 1);
        m_thread.join();
    }
    for (const pollfd& each : m_polled) {
        close(each.fd);
    }
}

/// No failure may disturb the job.
void ProcessEnds::watch()
{
    try {
        int pauseMs = kLookEveryMs;
        while (m_polled.front().revents == 0) {
            pauseMs = findNew() ? kLookEveryMs : std::min(2 * pauseMs, kLookSeldomMs);
            noteEnds(pauseMs);
        }
        noteEnds(0);
    } catch (const std::exception&) { // no memory, or the directory cannot be read any more
    }
}

/// Returns whether a process was found, or may still create its ring.
bool ProcessEnds::findNew()
{
    bool any = false;
    std::error_code error;
    for (fs::directory_iterator entry(m_directory, error), end; !error && entry != end;
         entry.increment(error)) {
        if (entry->path().extension() == ".rings") {
            int& looks = m_looks.try_emplace(entry->path().stem(), kLooks).first->second;
            any = any || looks > 0;
            looks = looks > 0 && !begin(entry->path()) ? looks - 1 : 0;
        }
    }
    return any;
}

/// Returns false while its ring does not exist: it is being created, or lies on another host.
bool ProcessEnds::begin(const fs::path& announcement)
{
    const trace::LeftoverRings announced = trace::findAnnounced(announcement);
    const auto owner = announced.rings.empty() ? std::nullopt : trace::ringOwner(announced.rings.front());
    if (!owner) {
        return false;
    }
    const auto pid = trace::pidHere(owner->pid, owner->startTicks);
    const int file = pid && sharesOurClock(*pid) ? openPidfd(*pid) : -1;
    // The id may have passed to another process just before it was opened.
    if (file >= 0 && trace::pidHere(owner->pid, owner->startTicks) == pid) {
        m_polled.push_back({file, POLLIN, 0});
        m_watched.push_back({announcement, *pid, owner->startTicks});
    } else if (file >= 0) {
        close(file);
    }
    return true;
}

/// Processes found dead by one poll get the same time, because their order is unknown.
void ProcessEnds::noteEnds(int timeoutMs)
{
    if (poll(m_polled.data(), m_polled.size(), timeoutMs) <= 0) {
        return;
    }
    const std::int64_t nowNs = host::monotonicNs();
    for (std::size_t i = m_polled.size() - 1; i > 0; --i) {
        if (m_polled[i].revents == 0) {
            continue;
        }
        const Watched& process = m_watched[i];
        std::error_code ignored;
        if (fs::exists(process.announcement, ignored)) { // otherwise it closed its trace
            const auto status = statusOf(m_polled[i].fd, process.pid, process.startTicks);
            static_cast<void>(trace::writeGone(trace::goneFileOf(process.announcement), {nowNs, status}));
        }
        close(m_polled[i].fd);
        m_polled.erase(m_polled.begin() + static_cast<std::ptrdiff_t>(i));
        m_watched.erase(m_watched.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

} // namespace ringside::cli
