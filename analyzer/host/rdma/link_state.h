// SPDX-License-Identifier: Apache-2.0
// What other sources than sysfs tell of a port: its link, its counters, and what its addresses are good for.
#pragma once
#include "host/sysfs_text.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace ringside::host {

/// By the names that they have in hw_counters/.
using HardwareCounters = std::map<std::string, std::uint64_t, std::less<>>;

struct LinkState {
    std::uint64_t state = 0;         ///< the kernel's number; 4: active
    std::uint64_t physicalState = 0; ///< likewise; 5: the link is up
    std::optional<Rate> rate;        ///< null: a width or speed that we do not know
    std::optional<std::uint64_t> mtuBytes;
    std::optional<std::uint64_t> largestMtuBytes;
    std::string gids;     ///< as GidKinds says it; empty: not told
    std::string gidTable; ///< likewise
};

enum class GidReach : std::uint8_t { LinkLocal, IPv4, IPv6 };

/// Which kinds of addresses a RoCE port has, not which: RoCE v2 needs one that is routable.
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
    /// Which kind stands at which index, as NCCL_IB_GID_INDEX counts: "0 v1 link-local, 3 v2 IPv4".
    [[nodiscard]] const std::string& table() const { return m_table; }
    [[nodiscard]] std::string text() const
    {
        return m_routable    ? "RoCE v2, routable"
               : m_linkLocal ? "RoCE v2, link-local only"
               : m_first     ? "RoCE v1 only"
                             : "none";
    }

private:
    static constexpr unsigned kListed = 64; ///< what stands behind is nobody's choice

    std::string m_table;
    bool m_first = false;
    bool m_linkLocal = false;
    bool m_routable = false;
};

} // namespace ringside::host
