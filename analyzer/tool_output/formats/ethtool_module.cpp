// SPDX-License-Identifier: Apache-2.0
// `ethtool -m INTERFACE`: the module in a port, from its own memory: temperature, light received, and the
// limits and alarms that its maker set. The labels are those of ethtool's sff-common.c, sfpdiag.c, qsfp.c
// and cmis.c. It does not name the interface.
#include "tool_output/reader.h"
#include "tool_output/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::tool_output::reader_ethtool_module {
namespace {

bool recognizes(std::string_view text)
{
    bool identifier = false;
    while (const auto line = takeLine(text)) {
        const std::string_view label = values::trimmed(partedBy(*line, ":").first);
        identifier = identifier || label == "Identifier";
        if (identifier && (label == "Vendor name" || label == "Module temperature")) {
            return true;
        }
    }
    return false;
}

/// Reads the second of "0.8913 mW / -0.50 dBm".
std::optional<double> dbmIn(std::string_view value)
{
    const std::string_view dbm = partedBy(value, "/").second;
    return holds(dbm, "dBm") ? decimalAtFront(dbm) : std::nullopt;
}

/// Sets a fact that is a number; the lowest of several, such as the light on several channels.
void keepLowest(PortReading& port, const trace::PortFact& name, std::optional<double> value)
{
    if (!value) {
        return;
    }
    const auto found = port.facts.find(name);
    const auto before = found != port.facts.end() ? decimalAtFront(found->second) : std::nullopt;
    port.facts[name] = fmt::format("{:g}", before ? std::min(*before, *value) : *value);
}

void readLine(std::string_view label, std::string_view value, PortReading& port)
{
    if (label == "Module temperature") {
        keepLowest(port, "module_celsius", decimalAtFront(value));
    } else if (label == "Module temperature high alarm threshold") {
        keepLowest(port, "module_celsius_alarm", decimalAtFront(value));
    } else if (label == "Module temperature high warning threshold") {
        keepLowest(port, "module_celsius_warning", decimalAtFront(value));
    } else if (label == "Laser rx power low alarm threshold") {
        keepLowest(port, "light_dbm_alarm", dbmIn(value));
    } else if (label == "Laser rx power low warning threshold") {
        keepLowest(port, "light_dbm_warning", dbmIn(value));
    } else if (label.starts_with("Receiver signal average optical power") ||
               label.starts_with("Rcvr signal avg optical power")) {
        keepLowest(port, "light_dbm", dbmIn(value));
    } else if (value == "On" && holds(label, " alarm")) {
        std::string& alarms = port.facts["module_alarms"];
        alarms = printable(fmt::format("{}{}{}", alarms, alarms.empty() ? "" : ", ", label));
    } else if (label == "Vendor PN" || label == "Vendor name") {
        std::string& module = port.facts["module"];
        module = printable(fmt::format("{}{}{}", module, module.empty() ? "" : " ", value));
    }
}

Reading read(const File& file)
{
    Reading reading;
    PortReading port;
    port.host = file.host;
    port.device = file.port;
    std::string_view text = file.text;
    while (const auto line = takeLine(text)) {
        const auto [label, value] = partedBy(*line, ":");
        readLine(values::trimmed(label), values::trimmed(value), port);
    }
    reading.ports.push_back(std::move(port));
    return reading;
}

} // namespace

RINGSIDE_TOOL_OUTPUT(ethtool_module, .command = "ethtool -m INTERFACE > INTERFACE.txt",
                     .recognizes = recognizes, .read = read);

} // namespace ringside::tool_output::reader_ethtool_module
