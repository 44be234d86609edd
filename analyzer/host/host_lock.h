// SPDX-License-Identifier: Apache-2.0
// What one process of a host does for all of them, such as sampling the machine, is done by the one that
// holds the lock on a file of the run directory. The kernel releases the lock when its owner dies, and then
// another process takes over. It is a POSIX record lock, because that is not inherited: a forked child that
// outlives its parent does not keep it.
#pragma once
#include <string>
#include <utility>

namespace ringside::host {

class HostLock final {
public:
    /// `owner`: the name that other processes read, HOST-PID.
    HostLock(std::string path, std::string owner) : m_path(std::move(path)), m_owner(std::move(owner)) {}
    /// Tries to take the lock. Returns whether this process holds it. Never waits.
    bool take();
    [[nodiscard]] bool isHeld() const { return m_held; }
    /// The owner if another process holds it; empty: not known.
    [[nodiscard]] std::string holder() const;
    /// Why the lock cannot be taken at all. Empty: another process holds it.
    [[nodiscard]] const std::string& failure() const { return m_failure; }
    /// Releases the lock and removes the file.
    void release();

private:
    bool tryOnce();
    [[nodiscard]] bool isOurs() const;
    [[nodiscard]] bool isTheNamedFile() const;

    std::string m_path;
    std::string m_owner;
    std::string m_failure;
    int m_descriptor = -1;
    bool m_held = false;
};

} // namespace ringside::host
