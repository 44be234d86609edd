// SPDX-License-Identifier: Apache-2.0
// Values of the whole machine are sampled by one process: the one that holds the lock on
// RUN/HOST.sampler. The kernel releases the lock when its owner dies, and then another process takes
// over. It is a POSIX record lock, because that is not inherited: a forked child that outlives its
// parent does not keep it.
#pragma once
#include "sampled/source.h"

#include <memory>
#include <string>
#include <vector>

namespace ringside::collector::sampled {

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

/// A source that reads only while this process holds the lock.
class OnceAHost final : public Source {
public:
    OnceAHost(std::unique_ptr<Source> source, HostLock& lock) : m_source(std::move(source)), m_lock(lock) {}
    [[nodiscard]] const char* name() const override { return m_source->name(); }
    void open() override {}
    void read(Readings& readings, Pace pace) override;
    [[nodiscard]] std::string reason() const override;
    void close() override;

private:
    std::unique_ptr<Source> m_source;
    HostLock& m_lock;
    bool m_opened = false;
};

} // namespace ringside::collector::sampled
