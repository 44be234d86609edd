// SPDX-License-Identifier: Apache-2.0
// The RDMA devices and their states over time, read once from the file that RINGSIDE_VERBS_SCRIPT names
// (format: README.md beside this file). It never guesses: a bad file is an error, and an attribute without a
// line has the value of a healthy port.
#pragma once
#include <infiniband/verbs.h>

#include <cstdint>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace ringside::verbs {

enum class Key : std::uint8_t { State, Physical, Width, Speed, Layer, Mtu, MtuMax, Lid, Fails, Blocks };

struct Gid {
    ibv_gid address{};
    ibv_gid_type type = IBV_GID_TYPE_IB;
};
struct EventEntry {
    double seconds;
    std::string device;
    int port; ///< 0: the whole device
    ibv_event_type type;
};

class Script final {
public:
    /// Returns the process's script; without the variable it has no devices.
    static const Script& get();
    /// Parses `text`; error() gives the place and reason of the first mistake.
    Script(const std::string& text, const std::string& path);

    [[nodiscard]] const std::string& error() const { return m_error; }
    /// By name, with the number of ports.
    [[nodiscard]] const std::map<std::string, int>& devices() const { return m_devices; }
    /// Returns the value of the newest line up to that time.
    [[nodiscard]] std::optional<unsigned> value(const std::string& device, int port, Key key,
                                                double seconds) const;
    /// By index.
    [[nodiscard]] std::map<unsigned, Gid> gids(const std::string& device, int port, double seconds) const;
    /// Sorted by time.
    [[nodiscard]] const std::vector<EventEntry>& events() const { return m_events; }

private:
    struct Place {
        double seconds;
        std::string device;
        int port;
    };
    struct Entry {
        Place place;
        Key key;
        unsigned value;
    };
    struct GidEntry {
        Place place;
        unsigned index;
        Gid gid;
    };
    [[nodiscard]] bool parseLine(double seconds, std::istringstream& words);
    [[nodiscard]] bool parseWord(const std::string& word, const Place& place);
    [[nodiscard]] bool parseGid(const std::string& index, const std::string& text, const Place& place);
    void noteStateChange(unsigned state, const Place& place);

    std::map<std::string, int> m_devices;
    std::vector<Entry> m_entries;
    std::vector<GidEntry> m_gids;
    std::vector<EventEntry> m_events;
    std::string m_error;
};

} // namespace ringside::verbs
