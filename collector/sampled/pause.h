// SPDX-License-Identifier: Apache-2.0
// What network cards count of flow control, by ethtool's ioctl: pause frames, packets thrown away for want of
// room, watchdogs of pause storms. Drivers name these as they like; whoever knows none of the names below is
// not sampled. Every reading takes the kernel's lock of all interfaces, so it is done seldom. Once, which
// priorities may be paused at all (dcb.h).
#pragma once
#include "host/netlink/dcb.h"
#include "sampled/source.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::collector::sampled {

/// What a driver counts, by its own names.
using CardCounters = std::vector<std::pair<std::string, std::uint64_t>>;

/// In neutral words: rx_pauses, tx_pauses, rx_pause_us, rx_discards, pause_storms. Priorities are added up.
/// Nothing of what no name tells.
[[nodiscard]] std::map<trace::SeriesName, std::uint64_t> pauseCounters(const CardCounters& counters);

/// The counters of an interface, by ethtool's ioctl. `error`: an errno, or 0.
[[nodiscard]] CardCounters readCard(const std::string& interface, int& error);

class Pause final : public Source {
public:
    using Reader = std::function<CardCounters(const std::string& interface, int& error)>;
    using Priorities = std::function<std::optional<std::uint8_t>(const std::string& interface)>;
    /// Other than the machine's are for tests.
    explicit Pause(std::string sysfsRoot = "/sys", Reader reader = readCard,
                   Priorities priorities = host::pausedPriorities)
        : m_sysfsRoot(std::move(sysfsRoot)), m_reader(std::move(reader)), m_priorities(std::move(priorities))
    {}
    [[nodiscard]] const char* name() const override { return "ethtool"; }
    void open() override;
    void read(Readings& readings, Pace pace) override;
    [[nodiscard]] std::string reason() const override { return m_reason; }

private:
    struct Card {
        std::string interface;
        bool done = false; ///< not asked any more
        std::map<trace::SeriesName, Series> series;
    };
    void tellPriorities(Readings& readings);
    void readOne(Card& card, Readings& readings);

    std::string m_sysfsRoot;
    Reader m_reader;
    Priorities m_priorities;
    std::string m_reason;
    std::vector<Card> m_cards;
    int m_untilNext = 0; ///< readings
    bool m_told = false;
};

} // namespace ringside::collector::sampled
