// SPDX-License-Identifier: Apache-2.0
#include "host/host_lock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace ringside::host {

bool HostLock::take()
{
    if (m_held || !m_failure.empty()) {
        return m_held;
    }
    // The file may vanish between being opened and locked, because its owner has finished: then there is a
    // new one.
    constexpr int kAttempts = 3;
    for (int attempt = 0; attempt < kAttempts && !m_held && m_failure.empty(); ++attempt) {
        if (!tryOnce()) {
            return false;
        }
    }
    return m_held;
}

// False when somebody else has it.
bool HostLock::tryOnce()
{
    if (m_descriptor < 0) {
        m_descriptor = open(m_path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    }
    if (m_descriptor >= 0 && !isOurs()) {
        m_failure = m_path + " is not a file of ours: remove it";
        close(std::exchange(m_descriptor, -1));
        return false;
    }
    struct flock whole {};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    if (m_descriptor < 0 || fcntl(m_descriptor, F_SETLK, &whole) != 0) {
        if (m_descriptor >= 0 && (errno == EACCES || errno == EAGAIN)) {
            return false;
        }
        m_failure = m_path + ": " + std::strerror(errno);
        return false;
    }
    if (!isTheNamedFile()) {
        close(m_descriptor);
        m_descriptor = -1;
        return true; // once more
    }
    m_held = true;
    if (ftruncate(m_descriptor, 0) == 0) {
        // A full disk leaves it empty, and the others without a name.
        [[maybe_unused]] const ssize_t written = pwrite(m_descriptor, m_owner.data(), m_owner.size(), 0);
    }
    return true;
}

/// Not what somebody else put there, nor a second name of another file.
bool HostLock::isOurs() const
{
    struct stat status {};
    return fstat(m_descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink <= 1;
}

bool HostLock::isTheNamedFile() const
{
    struct stat ours {};
    struct stat named {};
    return fstat(m_descriptor, &ours) == 0 && stat(m_path.c_str(), &named) == 0 &&
           ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
}

std::string HostLock::holder() const
{
    std::array<char, 256> text; // NOLINT(*-member-init): read as far as it is filled
    const ssize_t got = m_descriptor >= 0 ? pread(m_descriptor, text.data(), text.size(), 0) : -1;
    if (got > 0) {
        return {text.data(), static_cast<std::size_t>(got)};
    }
    // It has not come to writing its name, or could not. The kernel knows its number, and it is of this host.
    struct flock whole {};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    const bool known = m_descriptor >= 0 && fcntl(m_descriptor, F_GETLK, &whole) == 0 &&
                       whole.l_type != F_UNLCK && whole.l_pid > 0;
    return known ? m_owner.substr(0, m_owner.rfind('-') + 1) + std::to_string(whole.l_pid)
                 : "another process";
}

void HostLock::release()
{
    if (m_held && isTheNamedFile()) {
        unlink(m_path.c_str());
    }
    if (m_descriptor >= 0) {
        close(m_descriptor);
    }
    m_descriptor = -1;
    m_held = false;
}

} // namespace ringside::host
