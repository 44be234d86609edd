// SPDX-License-Identifier: Apache-2.0
// Writes HOST.live.json where no `ringside record` does: a job of the sampling threads, because a write into
// the run directory may last for ever. Of all processes of the host the one with the lock writes.
#pragma once
#include "host/host_lock.h"
#include "record/ring_store.h"
#include "sampled/source.h"

#include <string>

namespace ringside::collector::live {

class HostSnapshot final : public sampled::Source {
public:
    explicit HostSnapshot(const ProcessNames& names);
    [[nodiscard]] const char* name() const override { return "live"; }
    void open() override {}
    void read(sampled::Readings& readings, sampled::Pace pace) override;
    [[nodiscard]] std::string reason() const override { return {}; }
    void close() override;

private:
    std::string m_runDirectory;
    std::string m_host;
    host::HostLock m_lock;
    std::int64_t m_nextNs = 0;
};

} // namespace ringside::collector::live
