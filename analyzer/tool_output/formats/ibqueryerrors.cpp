// SPDX-License-Identifier: Apache-2.0
// ibqueryerrors of infiniband-diags: counters of all ports beyond a threshold. The layout is that of
// print_results(), print_data_cnts() and print_port_config() in rdma-core's infiniband-diags/ibqueryerrors.c:
//   Errors for 0x... "MF0;leaf01:MQM8700/U1"
//      GUID 0x... port 7: [SymbolErrorCounter == 12] [PortXmitWait == 99 (99.000)]
//          Link info: (as in link_line.h)
// A counter that is not shown may be 0 or below the threshold, so it is not measured.
#include "tool_output/link_line.h"
#include "tool_output/port_words.h"
#include "tool_output/reader.h"
#include "tool_output/text.h"

#include <algorithm>

namespace ringside::tool_output::reader_ibqueryerrors {
namespace {

bool isHead(std::string_view line)
{
    return line.starts_with("Errors for ") || line.starts_with("Data Counters for ");
}

bool recognizes(std::string_view text)
{
    while (const auto line = takeLine(text)) {
        if (isHead(*line)) {
            return holds(*line, "\"");
        }
    }
    return false;
}

/// Reads "   GUID 0x... port 7: [PortRcvErrors == 5]"; "port ALL" is a sum and no port.
std::optional<PortReading> portOf(std::string_view line)
{
    std::string_view rest = line;
    if (takeWord(rest) != "GUID") {
        return std::nullopt;
    }
    PortReading port;
    if (std::string guid = guidIn(takeWord(rest)); !guid.empty()) {
        port.guids.push_back(std::move(guid));
    }
    if (takeWord(rest) != "port") {
        return std::nullopt;
    }
    const auto [number, counters] = partedBy(rest, ":");
    port.number = numberIn(number);
    std::string_view left = counters;
    while (holds(left, "[")) {
        const auto [name, value] = partedBy(between(left, "[", "]"), " == ");
        std::string_view words = value;
        addPortCounter(port, values::trimmed(name), takeWord(words));
        left = partedBy(left, "]").second;
    }
    port.facts["link_layer"] = "InfiniBand";
    return port.number ? std::optional(std::move(port)) : std::nullopt;
}

/// Adds what the line "Link info:" tells of the port above it.
void addLink(std::string_view line, PortReading& port)
{
    auto link = portOfLinkLine(partedBy(line, "Link info:").second);
    if (!link || link->number != port.number) {
        return;
    }
    port.lid = link->lid;
    port.states = std::move(link->states);
    port.farEnd = std::move(link->farEnd);
    port.isUnplugged = link->isUnplugged;
    port.facts.merge(link->facts);
}

Reading read(const File& file)
{
    Reading reading;
    reading.holdsTotals = true;
    std::string node;
    bool isSwitch = false;
    std::string_view text = file.text;
    while (const auto line = takeLine(text)) {
        if (isHead(*line)) {
            node = printable(between(*line, "\"", "\""));
            // Only a switch has its GUID before its name; data counters show one for adapters, too.
            isSwitch = holds(partedBy(*line, "\"").first, " 0x") && !line->starts_with("Data");
        } else if (isLinkLine(*line) && !reading.ports.empty()) {
            addLink(*line, reading.ports.back());
        } else if (auto port = portOf(*line)) {
            port->node = node;
            port->isSwitch = isSwitch;
            nameByNode(*port);
            reading.ports.push_back(std::move(*port));
        }
    }
    return reading;
}

} // namespace

RINGSIDE_TOOL_OUTPUT(ibqueryerrors, .command = "ibqueryerrors -r --data > FILE", .recognizes = recognizes,
                     .read = read);

} // namespace ringside::tool_output::reader_ibqueryerrors
