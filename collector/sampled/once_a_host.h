// SPDX-License-Identifier: Apache-2.0
// What is the same for all processes of a machine is sampled by one of them: whoever holds the lock on
// RUN/HOST.sampler. The kernel lets go of it when its owner dies, and then another process takes over. A
// POSIX record lock, because it is not inherited: a forked child that outlives its parent does not keep it.
#pragma once
#include "sampled/source.h"

#include <memory>
#include <string>
#include <vector>

namespace ringside::collector::sampled {

class HostLock final {
public:
    /// `owner` is what the others are told: HOST-PID.
    HostLock(std::string path, std::string owner) : m_path(std::move(path)), m_owner(std::move(owner)) {}
    /// Whether it is held, now or from before. Never waits.
    bool take();
    [[nodiscard]] bool isHeld() const { return m_held; }
    /// Who else has it, as far as known.
    [[nodiscard]] std::string holder() const;
    /// Why it cannot be had at all; empty: somebody else has it.
    [[nodiscard]] const std::string& failure() const { return m_failure; }
    /// Lets the next one have it, and takes the file away.
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

/// A source that reads only while this process is the one that does.
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
