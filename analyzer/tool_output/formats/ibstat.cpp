// SPDX-License-Identifier: Apache-2.0
// ibstat of infiniband-diags: adapters of one host and the state of their ports. The layout is that of
// ca_dump() and port_dump() in rdma-core's infiniband-diags/ibstat.c. It names no host, and its rate has no
// lanes.
#include "tool_output/port_words.h"
#include "tool_output/reader.h"
#include "tool_output/text.h"

#include <fmt/format.h>

namespace ringside::tool_output::reader_ibstat {
namespace {

bool recognizes(std::string_view text)
{
    return (text.starts_with("CA '") || holds(text, "\nCA '")) && holds(text, "Number of ports:");
}

struct Adapter {
    std::string name, type, firmware, guid;
};

void readPortLine(std::string_view label, std::string_view value, PortReading& port)
{
    if (label == "State") {
        if (const auto state = portStateIn(value)) {
            port.states[trace::SeriesName::RdmaState] = *state;
        }
    } else if (label == "Physical state") {
        if (const auto state = physicalStateIn(value)) {
            port.states[trace::SeriesName::RdmaPhysicalState] = *state;
        }
    } else if (label == "Rate") {
        constexpr double kMegabits = 1000.0;
        constexpr double kMost = 1e5;
        if (const auto rate = decimalAtFront(value); rate && *rate > 0 && *rate < kMost) {
            port.states[trace::SeriesName::RdmaRate] = static_cast<std::int64_t>(*rate * kMegabits);
        }
    } else if (label == "Base lid") {
        const auto lid = numberIn(value);
        port.lid = lid && *lid > 0 ? lid : std::nullopt;
    } else if (label == "Port GUID") {
        if (std::string guid = guidIn(value); !guid.empty()) {
            port.guids.push_back(std::move(guid));
        }
    } else if (label == "Link layer") {
        port.facts["link_layer"] = printable(value);
    }
}

void readAdapterLine(std::string_view label, std::string_view value, Adapter& adapter)
{
    if (label == "CA type") {
        adapter.type = printable(value);
    } else if (label == "Firmware version") {
        adapter.firmware = printable(value);
    } else if (label == "Node GUID") {
        adapter.guid = guidIn(value);
    }
}

PortReading portOf(const Adapter& adapter, std::uint64_t number, const File& file)
{
    PortReading port;
    port.host = file.host;
    port.number = number;
    port.device = fmt::format("{}:{}", adapter.name, number);
    port.facts["hca_type"] = adapter.type;
    port.facts["firmware"] = adapter.firmware;
    if (!adapter.guid.empty()) {
        port.guids.push_back(adapter.guid);
    }
    return port;
}

Reading read(const File& file)
{
    Reading reading;
    Adapter adapter;
    bool inPort = false;
    std::string_view text = file.text;
    while (const auto line = takeLine(text)) {
        const std::string_view plain = values::trimmed(*line);
        const auto [label, after] = partedBy(plain, ":");
        const std::string_view value = values::trimmed(after);
        if (plain.starts_with("CA '")) {
            adapter = {printable(between(plain, "'", "'")), {}, {}, {}};
            inPort = false;
        } else if (const auto number = label.starts_with("Port ") ? numberIn(label.substr(5)) : std::nullopt;
                   number && plain.ends_with(':')) {
            reading.ports.push_back(portOf(adapter, *number, file));
            inPort = true;
        } else if (inPort) {
            readPortLine(label, value, reading.ports.back());
        } else {
            readAdapterLine(label, value, adapter);
        }
    }
    return reading;
}

} // namespace

RINGSIDE_TOOL_OUTPUT(ibstat, .command = "ibstat > FILE", .recognizes = recognizes, .read = read);

} // namespace ringside::tool_output::reader_ibstat
