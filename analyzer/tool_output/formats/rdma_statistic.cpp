// SPDX-License-Identifier: Apache-2.0
// `rdma statistic` of iproute2: the drivers' counters of all RDMA ports of one host, and `rdma link`: their
// states. The layout is that of stat_show_parse_cb() in iproute2's rdma/stat.c: "link mlx5_0/1 NAME NUMBER
// NAME NUMBER ...", with -p one counter a line, and of link.c there: "state ACTIVE physical_state LINK_UP
// netdev eth2". Counters of queue pairs ("link mlx5_0/1 cntn 4 ...") are parts of these and skipped.
#include "tool_output/port_words.h"
#include "tool_output/reader.h"
#include "tool_output/text.h"

#include <fmt/format.h>

namespace ringside::tool_output::reader_rdma_statistic {
namespace {

constexpr std::string_view kLink = "link ";

bool recognizes(std::string_view text)
{
    while (const auto line = takeLine(text)) {
        if (line->starts_with(kLink)) {
            std::string_view words = line->substr(kLink.size());
            const auto [device, port] = partedBy(takeWord(words), "/");
            return !device.empty() && numberIn(port).has_value();
        }
        if (!values::trimmed(*line).empty()) {
            return false;
        }
    }
    return false;
}

/// Takes the value of a word of `rdma link`. Returns false if it is none.
bool takeState(std::string_view name, std::string_view& text, PortReading& port)
{
    if (name == "netdev") {
        port.facts["netdev"] = printable(takeWord(text));
        return true;
    }
    const bool isPhysical = name == "physical_state";
    if (!isPhysical && name != "state") {
        return false;
    }
    const std::string_view word = takeWord(text);
    if (const auto state = isPhysical ? physicalStateIn(word) : portStateIn(word)) {
        port.states[isPhysical ? trace::SeriesName::RdmaPhysicalState : trace::SeriesName::RdmaState] =
            *state;
    }
    return true;
}

/// Reads "rx_pkts 5 Nak Sequence Error 7": names may contain blanks.
void readCounters(std::string_view text, PortReading& port)
{
    std::string name;
    for (std::string_view word = takeWord(text); !word.empty(); word = takeWord(text)) {
        const bool isNumber = numberIn(word) || (word.starts_with('-') && numberIn(word.substr(1)));
        if (!name.empty() && isNumber) {
            addHardwareCounter(port, name, word);
            name.clear();
        } else if (!name.empty() || !takeState(word, text, port)) {
            name += (name.empty() ? "" : " ") + std::string(word);
        }
    }
}

std::optional<PortReading> portOf(std::string_view& words, const File& file)
{
    const auto [device, number] = partedBy(takeWord(words), "/");
    PortReading port;
    port.host = file.host;
    port.number = numberIn(number);
    if (!port.number || values::trimmed(words).starts_with("cntn ")) {
        return std::nullopt;
    }
    port.device = fmt::format("{}:{}", printable(device), *port.number);
    return port;
}

Reading read(const File& file)
{
    Reading reading;
    reading.holdsTotals = true;
    bool inPort = false;
    std::string_view text = file.text;
    while (const auto line = takeLine(text)) {
        std::string_view words = *line;
        if (line->starts_with(kLink)) {
            words.remove_prefix(kLink.size());
            auto port = portOf(words, file);
            inPort = port.has_value();
            if (inPort) {
                reading.ports.push_back(std::move(*port));
            }
        }
        if (inPort) {
            readCounters(words, reading.ports.back());
        }
    }
    return reading;
}

} // namespace

RINGSIDE_TOOL_OUTPUT(rdma_statistic, .command = "rdma statistic > FILE", .recognizes = recognizes,
                     .read = read);

} // namespace ringside::tool_output::reader_rdma_statistic
