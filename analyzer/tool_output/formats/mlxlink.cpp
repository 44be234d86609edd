// SPDX-License-Identifier: Apache-2.0
// `mlxlink -d DEVICE -m -c` of NVIDIA's firmware tools: state, rate, bit error rates and module of one port.
// The labels are those of mstflint's mlxlink/modules/mlxlink_commander.cpp. It does not name the device, and
// colours values on a terminal. "N/A" and "15E-255", which stands for 0, are as it prints them.
#include "tool_output/port_words.h"
#include "tool_output/reader.h"
#include "tool_output/text.h"

#include <fmt/format.h>

namespace ringside::tool_output::reader_mlxlink {
namespace {

bool recognizes(std::string_view text)
{
    return holds(text, "Operational Info") && holds(text, "Physical state");
}

void readRate(std::string_view speed, std::string_view width, PortReading& port)
{
    constexpr double kMegabits = 1000.0;
    const auto lanes = lanesIn(width);
    const std::string_view name = speed.starts_with("IB-") ? speed.substr(3) : speed; // "IB-NDR", "HDR"
    if (const trace::LinkGeneration* const generation = trace::findLinkGeneration(name)) {
        port.facts["link_layer"] = "InfiniBand";
        if (lanes) {
            setLink(port, *lanes, *generation);
        }
    } else if (const auto gbps = decimalAtFront(speed); gbps && *gbps > 0 && *gbps <= 10'000) {
        port.facts["link_layer"] = "Ethernet"; // "200G", "100G_2X"
        port.states[trace::SeriesName::RdmaRate] = static_cast<std::int64_t>(*gbps * kMegabits);
    }
}

void setNumber(PortReading& port, const trace::PortFact& fact, std::optional<double> value)
{
    if (value) {
        port.facts[fact] = fmt::format("{:g}", *value);
    }
}

/// Reads "1.8,1.9 [-10.41..6]": the lowest value and the lower limit.
void readLight(std::string_view value, PortReading& port)
{
    const auto [list, limits] = partedBy(value, "[");
    std::optional<double> lowest;
    std::string_view rest = list;
    while (!values::trimmed(rest).empty()) {
        const auto [one, others] = partedBy(rest, ",");
        if (const auto dbm = decimalAtFront(one)) {
            lowest = std::min(lowest.value_or(*dbm), *dbm);
        }
        rest = others;
    }
    setNumber(port, "light_dbm", lowest);
    if (lowest) {
        setNumber(port, "light_dbm_alarm", decimalAtFront(partedBy(limits, "..").first));
    }
}

void readCounter(std::string_view value, trace::SeriesName series, PortReading& port)
{
    if (const auto raw = numberIn(value)) {
        port.counters.push_back({series, *raw, 0, 1});
    }
}

void readLine(std::string_view label, std::string_view value, PortReading& port)
{
    if (label == "State") {
        const bool down = value == "Disable" || value == "Polling" || value == "Port PLL Down";
        if (const auto state = down ? std::optional<std::int64_t>(1) : portStateIn(value)) {
            port.states[trace::SeriesName::RdmaState] = *state;
        }
    } else if (label == "Physical state") {
        const auto state = value == "ETH_AN_FSM_ENABLE" ? std::nullopt : physicalStateIn(value);
        if (state) {
            port.states[trace::SeriesName::RdmaPhysicalState] = *state;
        }
    } else if (label == "Link Down Counter") {
        readCounter(value, trace::SeriesName::RdmaLinkDowned, port);
    } else if (label == "Link Error Recovery Counter") {
        readCounter(value, trace::SeriesName::RdmaLinkErrorRecoveries, port);
    } else if (label == "Symbol Errors") {
        readCounter(value, trace::SeriesName::RdmaSymbolErrors, port);
    } else if (label == "Effective Physical BER") {
        setNumber(port, "effective_ber", decimalAtFront(value));
    } else if (label == "Raw Physical BER") {
        setNumber(port, "raw_ber", decimalAtFront(value));
    } else if (label == "Time Since Last Clear [Min]") {
        setNumber(port, "minutes_since_clear", decimalAtFront(value));
    } else if (label == "FEC") {
        port.facts["fec"] = printable(value);
    } else if (label == "Recommendation") {
        port.facts["recommendation"] = printable(value);
    } else if (label == "Temperature [C]") {
        setNumber(port, "module_celsius", decimalAtFront(value));
        setNumber(port, "module_celsius_alarm", decimalAtFront(partedBy(value, "..").second));
    } else if (holds(label, " Fault") && holds(value, "1")) { // "1", or "0,1,0,0" of its lanes
        std::string& alarms = port.facts["module_alarms"];
        alarms = printable(fmt::format("{}{}{}", alarms, alarms.empty() ? "" : ", ",
                                       values::trimmed(partedBy(label, "[").first)));
    } else if (label == "Rx Power Current [dBm]") {
        readLight(value, port);
    }
}

Reading read(const File& file)
{
    Reading reading;
    reading.holdsTotals = true;
    PortReading port;
    port.host = file.host;
    port.device = file.port;
    std::string speed;
    std::string width;
    const std::string plain = withoutColours(file.text);
    std::string_view text = plain;
    while (const auto line = takeLine(text)) {
        const auto [before, after] = partedBy(*line, " : ");
        const std::string_view label = values::trimmed(before);
        const std::string_view value = values::trimmed(after);
        speed = label == "Speed" ? value : std::string_view(speed);
        width = label == "Width" ? value : std::string_view(width);
        readLine(label, value, port);
    }
    readRate(speed, width, port);
    reading.ports.push_back(std::move(port));
    return reading;
}

} // namespace

RINGSIDE_TOOL_OUTPUT(mlxlink, .command = "mlxlink -d DEVICE -m -c > DEVICE.txt", .recognizes = recognizes,
                     .read = read);

} // namespace ringside::tool_output::reader_mlxlink
