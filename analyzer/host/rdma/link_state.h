// SPDX-License-Identifier: Apache-2.0
// Properties of a port from sources other than sysfs: its link, its counters, and the kinds of its addresses.
#pragma once
#include "host/sysfs_text.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace ringside::host {

/// Hardware counters by their names in hw_counters/.
using HardwareCounters = std::map<std::string, std::uint64_t, std::less<>>;

struct LinkState {
    std::uint64_t state = 0;         ///< constant of the kernel; 4 is active
    std::uint64_t physicalState = 0; ///< constant of the kernel; 5 is link up
    std::optional<Rate> rate;        ///< null if width or speed is unknown
    std::optional<std::uint64_t> mtuBytes;
    std::optional<std::uint64_t> largestMtuBytes;
    std::string gids;     ///< from GidKinds; empty if not reported
    std::string gidTable; ///< from GidKinds; empty if not reported
};

enum class GidReach : std::uint8_t { LinkLocal, IPv4, IPv6 };

/// The kinds of a RoCE port's addresses, not the addresses. RoCE v2 needs a routable one.
class GidKinds final {
public:
    void add(unsigned index, bool second, GidReach reach)
    {
        const bool linkLocal = reach == GidReach::LinkLocal;
        m_first = m_first || !second;
        m_linkLocal = m_linkLocal || (second && linkLocal);
        m_routable = m_routable || (second && !linkLocal);
        if (index < kListed) {
            m_table += (m_table.empty() ? "" : ", ") + std::to_string(index) + (second ? " v2 " : " v1 ") +
                       (linkLocal                 ? "link-local"
                        : reach == GidReach::IPv4 ? "IPv4"
                                                  : "IPv6");
        }
    }
    /// Kinds by index, as NCCL_IB_GID_INDEX counts: "0 v1 link-local, 3 v2 IPv4".
    [[nodiscard]] const std::string& table() const { return m_table; }
    [[nodiscard]] std::string text() const
    {
        return m_routable    ? "RoCE v2, routable"
               : m_linkLocal ? "RoCE v2, link-local only"
               : m_first     ? "RoCE v1 only"
                             : "none";
    }

private:
    static constexpr unsigned kListed = 64; ///< later entries are never chosen

    std::string m_table;
    bool m_first = false;
    bool m_linkLocal = false;
    bool m_routable = false;
};

} // namespace ringside::host
