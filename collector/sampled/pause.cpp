// SPDX-License-Identifier: Apache-2.0
#include "sampled/pause.h"

#include "host/sysfs_text.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>

namespace ringside::collector::sampled {
namespace {

constexpr std::size_t kMostCards = 32;

/// `*` stands for the number of a priority. Sources: the drivers' tables of names (mlx5, mlx4, bnxt, ice).
struct Name {
    std::string_view pattern;
    trace::SeriesName series;
};
constexpr std::array<Name, 19> kSeriesNames{{
    {"rx_prio*_pause", trace::SeriesName::RxPauses},
    {"rx_global_pause", trace::SeriesName::RxPauses},
    {"rx_pause_prio_*", trace::SeriesName::RxPauses},
    {"rx_pfc_ena_frames_pri*", trace::SeriesName::RxPauses},
    {"rx_priority_*_xoff.nic", trace::SeriesName::RxPauses},
    {"tx_prio*_pause", trace::SeriesName::TxPauses},
    {"tx_global_pause", trace::SeriesName::TxPauses},
    {"tx_pause_prio_*", trace::SeriesName::TxPauses},
    {"tx_pfc_ena_frames_pri*", trace::SeriesName::TxPauses},
    {"tx_priority_*_xoff.nic", trace::SeriesName::TxPauses},
    {"rx_prio*_pause_duration", trace::SeriesName::RxPauseTime},
    {"rx_global_pause_duration", trace::SeriesName::RxPauseTime},
    {"rx_pause_duration_prio_*", trace::SeriesName::RxPauseTime},
    {"rx_discards_phy", trace::SeriesName::RxDiscards},
    {"rx_stat_discard", trace::SeriesName::RxDiscards},
    {"rx_dropped.nic", trace::SeriesName::RxDiscards},
    {"rx_fifo_errors", trace::SeriesName::RxDiscards},
    {"tx_pause_storm_error_events", trace::SeriesName::PauseStorms},
    {"tx_pause_storm_warning_events", trace::SeriesName::PauseStormWarnings},
}};

bool matches(std::string_view name, std::string_view pattern)
{
    const std::size_t star = pattern.find('*');
    if (star == std::string_view::npos) {
        return name == pattern;
    }
    const std::string_view before = pattern.substr(0, star);
    const std::string_view after = pattern.substr(star + 1);
    return name.size() == before.size() + 1 + after.size() && name.starts_with(before) &&
           name.ends_with(after) && name[star] >= '0' && name[star] <= '7';
}

/// Asks the kernel of one interface; false, with errno, where it refuses.
bool ask(int descriptor, const std::string& interface, void* request)
{
    ifreq question{};
    std::memcpy(question.ifr_name, interface.data(), std::min<std::size_t>(interface.size(), IFNAMSIZ - 1));
    question.ifr_data = static_cast<char*>(request);
    return ioctl(descriptor, SIOCETHTOOL, &question) == 0;
}

/// How many counters the driver has; nothing where it refuses, with errno.
std::optional<std::uint32_t> countOf(int descriptor, const std::string& interface)
{
    alignas(ethtool_sset_info) std::array<std::byte, sizeof(ethtool_sset_info) + sizeof(std::uint32_t)>
        room{};
    auto* const sets = reinterpret_cast<ethtool_sset_info*>(room.data());
    sets->cmd = ETHTOOL_GSSET_INFO;
    sets->sset_mask = 1ULL << ETH_SS_STATS;
    if (!ask(descriptor, interface, sets)) {
        return std::nullopt;
    }
    return sets->sset_mask != 0 ? sets->data[0] : 0;
}

CardCounters readFrom(int descriptor, const std::string& interface, int& error)
{
    constexpr std::uint32_t kMost = 16384; // counters of a card: more is damage
    const auto count = countOf(descriptor, interface);
    error = count ? 0 : errno;
    if (!count || *count == 0 || *count > kMost) {
        return {};
    }
    // The kernel writes as many as the driver has by now: room for twice as many, and the count is looked at.
    const std::size_t room = std::size_t{2} * *count;
    std::vector<std::uint64_t> names((sizeof(ethtool_gstrings) + room * ETH_GSTRING_LEN) / 8 + 1);
    std::vector<std::uint64_t> values(sizeof(ethtool_stats) / 8 + room + 1);
    auto* const strings = reinterpret_cast<ethtool_gstrings*>(names.data());
    auto* const stats = reinterpret_cast<ethtool_stats*>(values.data());
    strings->cmd = ETHTOOL_GSTRINGS;
    strings->string_set = ETH_SS_STATS;
    strings->len = *count;
    stats->cmd = ETHTOOL_GSTATS;
    stats->n_stats = *count;
    if (!ask(descriptor, interface, strings) || !ask(descriptor, interface, stats)) {
        error = errno;
        return {};
    }
    CardCounters counters;
    if (strings->len != stats->n_stats || stats->n_stats > room) {
        return counters; // it changed in between: the next reading tells
    }
    const auto* const text = reinterpret_cast<const char*>(strings->data);
    for (std::uint32_t i = 0; i < stats->n_stats; ++i) {
        const char* const name = text + std::size_t{i} * ETH_GSTRING_LEN;
        counters.emplace_back(std::string(name, strnlen(name, ETH_GSTRING_LEN)), stats->data[i]);
    }
    return counters;
}

} // namespace

std::map<trace::SeriesName, std::uint64_t> pauseCounters(const CardCounters& counters)
{
    std::map<trace::SeriesName, std::uint64_t> sums;
    for (const auto& [name, value] : counters) {
        for (const Name& known : kSeriesNames) {
            if (matches(name, known.pattern)) {
                sums[known.series] += value;
            }
        }
    }
    return sums;
}

CardCounters readCard(const std::string& interface, int& error)
{
    const int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) {
        error = errno;
        return {};
    }
    CardCounters counters = readFrom(descriptor, interface, error);
    close(descriptor);
    return counters;
}

void Pause::open()
{
    const std::string folder = m_sysfsRoot + "/class/net";
    std::error_code error;
    for (const std::string& interface : host::namesIn(folder)) {
        if (m_cards.size() < kMostCards &&
            std::filesystem::exists(std::filesystem::path(folder) / interface / "device", error)) {
            m_cards.push_back({interface, false, {}});
        }
    }
    m_reason = m_cards.empty() ? "no network card in " + folder : "";
}

void Pause::read(Readings& readings, Pace pace)
{
    constexpr int kEvery = 10; // about as many seconds
    if (pace != Pace::OnceASecond || m_untilNext-- > 0) {
        return;
    }
    m_untilNext = kEvery - 1;
    tellPriorities(readings);
    for (Card& card : m_cards) {
        if (!card.done) {
            readings.beginMoment();
            readOne(card, readings);
        }
    }
}

// Who sets them up while a job runs is on his own.
void Pause::tellPriorities(Readings& readings)
{
    for (const Card& card : m_cards) {
        const auto priorities = m_reported ? std::nullopt : m_priorities(card.interface);
        if (priorities) {
            readings.set(trace::settingRow("network", card.interface, "pfc_priorities",
                                           host::prioritiesText(*priorities)));
        }
    }
    m_reported = true;
}

void Pause::readOne(Card& card, Readings& readings)
{
    int error = 0;
    const auto counters = pauseCounters(m_reader(card.interface, error));
    for (const auto& [name, value] : counters) {
        const auto [known, fresh] = card.series.try_emplace(name);
        if (fresh) {
            known->second = {card.interface, name};
        }
        readings.add(known->second, value);
    }
    // Asking a card again that has none of them, or that refused, changes nothing.
    card.done = counters.empty() && card.series.empty();
    if (card.done) {
        const auto known = card.series.try_emplace(trace::SeriesName::RxPauses).first;
        known->second = {card.interface, trace::SeriesName::RxPauses};
        readings.miss(known->second, error != 0
                                         ? std::strerror(error)
                                         : "its driver counts no pause frames by a name that is known");
    }
}

} // namespace ringside::collector::sampled
