// SPDX-License-Identifier: Apache-2.0
// RDMA devices through libibverbs: the current state of their links, also if sysfs does not show it, and the
// events of ports and devices. Each open context gets its own copy of an event, so the program (NCCL) misses
// none. Nothing is created on a device. A device that returns an error is closed and not used again.
// Descriptors are checked before use, because a program that closes all descriptors may have received their
// numbers again.
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
        unsigned port = 0; ///< 0 for the device as a whole
        int type = 0;      ///< libibverbs' constant
    };
    /// Loads the library. Must be called once, before all other functions.
    void open();
    /// Opens the devices that have not been tried yet.
    void openNew(const std::set<std::string>& names);
    /// Returns the current state of a port, or null if the device is not open (any more).
    [[nodiscard]] std::optional<LinkState> linkOf(const std::string& device, unsigned port);
    /// Returns the events since the last call. Never blocks.
    [[nodiscard]] std::vector<Event> takeEvents();
    /// Why nothing is known about a device; empty if it is open.
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
    std::map<std::string, Device> m_devices; ///< devices that have been tried
};

} // namespace ringside::host
