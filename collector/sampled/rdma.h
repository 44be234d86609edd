// SPDX-License-Identifier: Apache-2.0
// Samples the ports of RDMA devices: traffic, errors, state, events. One process a host samples them
// (once_a_host.h), on a separate thread, because each reading of a counter may be a command to the
// device's firmware. Values are read about once a second, events at every tick.
#pragma once
#include "host/rdma/watch.h"
#include "sampled/source.h"

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace ringside::collector::sampled {

class Rdma final : public Source {
public:
    explicit Rdma(const std::string& sysfsRoot) : m_watch(sysfsRoot) {}
    [[nodiscard]] const char* name() const override { return "rdma"; }
    void open() override {}
    void read(Readings& readings, Pace pace) override;
    [[nodiscard]] std::string reason() const override;
    void close() override { m_watch.close(); }

private:
    /// What has been written into the trace of a port.
    struct Reported {
        std::deque<Series> series; ///< one a quantity
        Series events;
        trace::PortFacts facts;
        std::string trouble;
        std::uint64_t resets = 0;
    };
    void findNew(Readings& readings);
    void tellReasons(Readings& readings);
    void readEvents(Readings& readings);
    void readPorts(Readings& readings);
    void report(const host::Port& port, Reported& reported, Readings& readings);
    static void reportTrouble(const host::Port& port, Reported& reported, Readings& readings);

    host::Watch m_watch;
    std::deque<Reported> m_reported; ///< one a port
    int m_untilAll = 0;              ///< readings
    bool m_saidLeftOut = false;
};

} // namespace ringside::collector::sampled
