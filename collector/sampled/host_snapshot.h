// SPDX-License-Identifier: Apache-2.0
// Writes HOST.live.json where no `ringside record` does. The sampling thread does this, because a write into
// the run directory may never return. It has no thread of its own, because for each thread that allocates the
// C library reserves 64 MiB of addresses, which the job may have limited. Of all processes of the host, the
// one with the lock writes.
#pragma once
#include "host/host_lock.h"
#include "record/ring_store.h"
#include "sampled/source.h"

#include <string>

namespace ringside::collector::sampled {

class HostSnapshot final : public Source {
public:
    explicit HostSnapshot(const ProcessNames& names);
    [[nodiscard]] const char* name() const override { return "live"; }
    void open() override {}
    void read(Readings& readings, Pace pace) override;
    [[nodiscard]] std::string reason() const override { return {}; }
    void close() override;

private:
    std::string m_runDirectory;
    std::string m_host;
    host::HostLock m_lock;
    std::int64_t m_nextNs = 0;
};

} // namespace ringside::collector::sampled
