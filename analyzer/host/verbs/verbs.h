// SPDX-License-Identifier: Apache-2.0
// RDMA devices through libibverbs: what their links do now, also where sysfs does not say it, and the events
// of ports and devices. Each opened context gets its own copy of an event, so the program (NCCL) misses none
// of its own. It creates nothing on a device. One that answers with an error is closed and left alone for
// good. Descriptors are looked at before they are used: a program that closes all may have got their numbers
// again.
#pragma once
#include "host/rdma/link_state.h"
#include "host/verbs/library.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ringside::host {

class Verbs final {
public:
    struct Event {
        std::string device;
        unsigned port = 0; ///< 0: of the device as a whole
        int type = 0;      ///< libibverbs' number
    };
    /// Loads the library. Once, before all else.
    void open();
    /// Opens those of the devices that were not tried yet.
    void openNew(const std::set<std::string>& names);
    /// What a port does now; nothing where the device is not open (any more).
    [[nodiscard]] std::optional<LinkState> linkOf(const std::string& device, unsigned port);
    /// What happened since the last call; never waits.
    [[nodiscard]] std::vector<Event> takeEvents();
    /// Why nothing is known of a device; empty: it is open.
    [[nodiscard]] std::string reason(const std::string& device) const;
    void close();

private:
    struct Device {
        verbs::Context* context = nullptr;
        bool gidsAreOld = true;
        std::vector<verbs::GidEntry> gids;
        std::string trouble = {};
    };
    [[nodiscard]] Device opened(verbs::Device handle) const;
    void readGids(Device& device) const;
    void takeEvents(const std::string& name, Device& device, std::vector<Event>& events) const;
    void leaveAlone(Device& device, const std::string& why) const;

    verbs::Library m_library;
    std::map<std::string, Device> m_devices; ///< tried ones
};

} // namespace ringside::host
