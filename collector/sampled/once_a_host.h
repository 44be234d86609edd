// SPDX-License-Identifier: Apache-2.0
// Values of the whole machine are sampled by one process: the one that holds the lock on
// RUN/HOST.sampler.
#pragma once
#include "host/host_lock.h"
#include "sampled/source.h"

#include <memory>
#include <string>
#include <vector>

namespace ringside::collector::sampled {

using host::HostLock;

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
