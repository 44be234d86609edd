// SPDX-License-Identifier: Apache-2.0
// Samples the flow control counters of network cards through ethtool's ioctl: pause frames, packets
// discarded for lack of buffers, watchdogs of pause storms. Each driver has its own names for them; a
// card with none of the known names is not sampled. Every reading takes the kernel's lock of all
// interfaces, so readings are rare. Also reads once which priorities may be paused (dcb.h).
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

/// Counters of a driver, by the driver's names.
using CardCounters = std::vector<std::pair<std::string, std::uint64_t>>;

/// Translates them to common names: rx_pauses, tx_pauses, rx_pause_us, rx_discards, pause_storms.
/// Priorities are summed. Counters with unknown names are left out.
[[nodiscard]] std::map<trace::SeriesName, std::uint64_t> pauseCounters(const CardCounters& counters);

/// Reads the counters of an interface through ethtool's ioctl. `error`: an errno, or 0.
[[nodiscard]] CardCounters readCard(const std::string& interface, int& error);

class Pause final : public Source {
public:
    using Reader = std::function<CardCounters(const std::string& interface, int& error)>;
    using Priorities = std::function<std::optional<std::uint8_t>(const std::string& interface)>;
    /// Tests pass others than the machine's.
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
    bool m_reported = false;
};

} // namespace ringside::collector::sampled
