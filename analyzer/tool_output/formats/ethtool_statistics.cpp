// SPDX-License-Identifier: Apache-2.0
// `ethtool -S INTERFACE`: the driver's counters of one interface, below "NIC statistics:" (do_gstats() in
// ethtool's ethtool.c), which does not name the interface, or with --groups those of the standard, below
// "Standard stats for INTERFACE:" (netlink/stats.c there). Names of counters are those of the kernel's
// drivers: mlx5 (en_stats.c), bnxt_en, ice; counters of single queues are skipped.
#include "tool_output/port_words.h"
#include "tool_output/reader.h"
#include "tool_output/text.h"

#include <array>

namespace ringside::tool_output::reader_ethtool_statistics {
namespace {

using trace::SeriesName;

constexpr std::string_view kStandard = "Standard stats for ";

bool recognizes(std::string_view text)
{
    return text.starts_with("NIC statistics:") || holds(text, "\nNIC statistics:") ||
           text.starts_with(kStandard);
}

/// A counter's name; a '*' stands for the number of a priority.
struct Known {
    std::string_view name;
    SeriesName series;
};
constexpr std::array<Known, 39> kKnown{{
    {"link_down_events_phy", SeriesName::RdmaLinkDowned},
    {"link_down_events", SeriesName::RdmaLinkDowned},
    {"rx_symbol_err_phy", SeriesName::RdmaSymbolErrors},
    {"rx_crc_errors_phy", SeriesName::RdmaRxErrors},
    {"rx_fcs_err_frames", SeriesName::RdmaRxErrors},
    {"rx_crc_errors.nic", SeriesName::RdmaRxErrors},
    {"eth-phy-SymbolErrorDuringCarrier", SeriesName::RdmaSymbolErrors},
    {"eth-mac-FrameCheckSequenceErrors", SeriesName::RdmaRxErrors},
    {"eth-mac-OctetsTransmittedOK", SeriesName::RdmaTxBytes},
    {"eth-mac-OctetsReceivedOK", SeriesName::RdmaRxBytes},
    {"eth-mac-FramesTransmittedOK", SeriesName::RdmaTxPackets},
    {"eth-mac-FramesReceivedOK", SeriesName::RdmaRxPackets},
    {"tx_discards_phy", SeriesName::RdmaTxDiscards},
    {"rx_icrc_encapsulated", SeriesName::RdmaRxCorrupt},
    {"tx_bytes_phy", SeriesName::RdmaTxBytes},
    {"rx_bytes_phy", SeriesName::RdmaRxBytes},
    {"tx_packets_phy", SeriesName::RdmaTxPackets},
    {"rx_packets_phy", SeriesName::RdmaRxPackets},
    {"tx_total_frames", SeriesName::RdmaTxPackets},
    {"rx_total_frames", SeriesName::RdmaRxPackets},
    {"tx_bytes.nic", SeriesName::RdmaTxBytes},
    {"rx_bytes.nic", SeriesName::RdmaRxBytes},
    {"rx_discards_phy", SeriesName::RxDiscards},
    {"rx_dropped.nic", SeriesName::RxDiscards},
    {"rx_prio*_discards", SeriesName::RxDiscards},
    {"rx_prio*_pause", SeriesName::RxPauses},
    {"tx_prio*_pause", SeriesName::TxPauses},
    {"rx_global_pause", SeriesName::RxPauses},
    {"tx_global_pause", SeriesName::TxPauses},
    {"rx_prio*_pause_duration", SeriesName::RxPauseTime},
    {"rx_global_pause_duration", SeriesName::RxPauseTime},
    {"rx_pfc_frames", SeriesName::RxPauses},
    {"tx_pfc_frames", SeriesName::TxPauses},
    {"rx_pause_frames", SeriesName::RxPauses},
    {"tx_pause_frames", SeriesName::TxPauses},
    {"rx_priority_*_xon.nic", SeriesName::RxPauses},
    {"tx_priority_*_xoff.nic", SeriesName::TxPauses},
    {"tx_pause_storm_error_events", SeriesName::PauseStorms},
    {"tx_pause_storm_warning_events", SeriesName::PauseStormWarnings},
}};

const Known* knownOf(std::string_view name)
{
    for (const Known& each : kKnown) {
        const auto [front, back] = partedBy(each.name, "*");
        const bool same = holds(each.name, "*") ? name.size() == each.name.size() &&
                                                      name.starts_with(front) && name.ends_with(back) &&
                                                      name[front.size()] >= '0' && name[front.size()] <= '7'
                                                : name == each.name;
        if (same) {
            return &each;
        }
    }
    return nullptr;
}

Reading read(const File& file)
{
    Reading reading;
    reading.holdsTotals = true;
    PortReading port;
    port.host = file.host;
    std::map<SeriesName, std::uint64_t> sums; // of all priorities
    std::string_view text = file.text;
    port.device = text.starts_with(kStandard) ? printable(between(text, kStandard, ":")) : file.port;
    port.facts["link_layer"] = "Ethernet";
    port.facts["netdev"] = port.device;
    while (const auto line = takeLine(text)) {
        const auto [label, value] = partedBy(*line, ": ");
        const Known* const known = knownOf(values::trimmed(label));
        const auto raw = numberIn(value);
        if (known != nullptr && raw) {
            sums[known->series] += *raw; // modulo 2^64, as the counters themselves
        } else if (known != nullptr) {
            port.damaged.push_back(std::string(values::trimmed(*line)));
        }
    }
    for (const auto& [series, raw] : sums) {
        port.counters.push_back({series, raw, 0, 1});
    }
    reading.ports.push_back(std::move(port));
    return reading;
}

} // namespace

RINGSIDE_TOOL_OUTPUT(ethtool_statistics, .command = "ethtool -S INTERFACE > INTERFACE.txt",
                     .recognizes = recognizes, .read = read);

} // namespace ringside::tool_output::reader_ethtool_statistics
