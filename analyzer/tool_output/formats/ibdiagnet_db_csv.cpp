// SPDX-License-Identifier: Apache-2.0
// ibdiagnet2.db_csv of NVIDIA's ibdiagnet: nodes, links, states and counters of a fabric as tables of comma
// separated values between START_NAME and END_NAME, whose first line names the columns. ibdiagnet is not
// open: the tables are those that public readers of its files know (NODES, LINKS, PORTS, PM_INFO,
// CABLE_INFO), found by the names of their columns, so that further columns do no harm. Speeds and states
// are numbers of the InfiniBand architecture (PortInfo, vol. 1, 14.2.5.6; extended speeds in the higher
// byte).
#include "tool_output/port_words.h"
#include "tool_output/reader.h"
#include "tool_output/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

namespace ringside::tool_output::reader_ibdiagnet_db_csv {
namespace {

using Fields = std::vector<std::string_view>;

/// Parts a line at commas that stand in no quotes.
Fields fieldsOf(std::string_view line)
{
    Fields fields;
    std::size_t begin = 0;
    bool quoted = false;
    for (std::size_t i = 0; i <= line.size(); ++i) {
        if (i < line.size() && line[i] == '"') {
            quoted = !quoted;
        } else if (i == line.size() || (line[i] == ',' && !quoted)) {
            std::string_view field = values::trimmed(line.substr(begin, i - begin));
            if (field.size() >= 2 && field.front() == '"' && field.back() == '"') {
                field = field.substr(1, field.size() - 2);
            }
            fields.push_back(field);
            begin = i + 1;
        }
    }
    return fields;
}

/// A line of a table, with the names of its columns.
struct Row {
    const Fields& columns;
    const Fields& fields;

    /// Tables disagree on capitals: "NodeGUID", "NodeGuid".
    [[nodiscard]] std::string_view operator[](std::string_view column) const
    {
        for (std::size_t i = 0; i < std::min(columns.size(), fields.size()); ++i) {
            if (columns[i] == column) {
                return fields[i];
            }
        }
        return {};
    }
    [[nodiscard]] std::string guid() const
    {
        const std::string_view upper = (*this)["NodeGUID"];
        return guidIn(upper.empty() ? (*this)["NodeGuid"] : upper);
    }
    [[nodiscard]] std::optional<std::uint64_t> port() const
    {
        const std::string_view other = (*this)["PortNumber"];
        return numberIn(other.empty() ? (*this)["PortNum"] : other);
    }
};

using Key = std::pair<std::string, std::uint64_t>;

struct Node {
    std::string name;
    bool isSwitch = false;
};

struct Fabric {
    std::map<std::string, Node> nodes; ///< by GUID
    std::map<Key, PortReading> ports;
    std::map<Key, Key> links;
    std::map<Key, std::uint64_t> fastest; ///< the largest speed that a port can do, as in PortInfo

    PortReading* portOf(const Row& row)
    {
        const auto number = row.port();
        std::string guid = row.guid();
        if (guid.empty() || !number || *number == 0) {
            return nullptr; // port 0 is a switch's own
        }
        PortReading& port = ports[{guid, *number}];
        port.number = number;
        port.guids = {std::move(guid)};
        port.facts["link_layer"] = "InfiniBand";
        return &port;
    }
};

/// Returns the generation of LinkSpeedActv: 1, 2 and 4 of the lower byte, 1 to 16 of the higher one.
const trace::LinkGeneration* generationOfSpeed(std::uint64_t speed)
{
    constexpr std::array<std::string_view, 3> kOld{"SDR", "DDR", "QDR"};
    constexpr std::array<std::string_view, 5> kExtended{"FDR", "EDR", "HDR", "NDR", "XDR"};
    constexpr unsigned kByte = 8;
    const std::uint64_t extended = speed >> kByte;
    const auto place = static_cast<std::size_t>(std::bit_width(extended != 0 ? extended : speed)) - 1;
    if (speed == 0 || place >= (extended != 0 ? kExtended.size() : kOld.size())) {
        return nullptr;
    }
    return trace::findLinkGeneration(extended != 0 ? kExtended[place] : kOld[place]);
}

std::optional<std::uint64_t> lanesOfWidth(std::uint64_t width)
{
    constexpr std::array<std::uint64_t, 5> kLanes{1, 4, 8, 12, 2};
    const auto place = static_cast<std::size_t>(std::bit_width(width));
    return width != 0 && place <= kLanes.size() ? std::optional(kLanes[place - 1]) : std::nullopt;
}

void readNode(const Row& row, Fabric& fabric)
{
    constexpr std::string_view kSwitch = "2"; // NodeInfo.NodeType
    if (std::string guid = row.guid(); !guid.empty()) {
        fabric.nodes[std::move(guid)] = {printable(row["NodeDesc"]), row["NodeType"] == kSwitch};
    }
}

void readLink(const Row& row, Fabric& fabric)
{
    const auto end = [&row](std::string_view guid, std::string_view port) -> std::optional<Key> {
        const auto number = numberIn(row[port]);
        std::string text = guidIn(row[guid]);
        return number && !text.empty() ? std::optional(Key{std::move(text), *number}) : std::nullopt;
    };
    const auto one = end("NodeGuid1", "PortNum1");
    const auto other = end("NodeGuid2", "PortNum2");
    if (one && other) {
        fabric.links[*one] = *other;
        fabric.links[*other] = *one;
    }
}

void readPort(const Row& row, Fabric& fabric)
{
    PortReading* const port = fabric.portOf(row);
    if (port == nullptr) {
        return;
    }
    constexpr std::uint64_t kMostState = 7;
    const auto set = [&](std::string_view column, trace::SeriesName series) {
        if (const auto value = numberIn(row[column]); value && *value >= 1 && *value <= kMostState) {
            port->states[series] = static_cast<std::int64_t>(*value);
        }
    };
    set("PortState", trace::SeriesName::RdmaState);
    set("PortPhyState", trace::SeriesName::RdmaPhysicalState);
    const auto lid = numberIn(row["LID"]);
    port->lid = lid && *lid > 0 ? lid : std::nullopt;
    const trace::LinkGeneration* const generation =
        generationOfSpeed(numberIn(row["LinkSpeedActv"]).value_or(0));
    const auto lanes = lanesOfWidth(numberIn(row["LinkWidthActv"]).value_or(0));
    if (generation != nullptr && lanes) {
        setLink(*port, *lanes, *generation);
        fabric.fastest[{port->guids.front(), *port->number}] = numberIn(row["LinkSpeedSup"]).value_or(0);
    }
}

void readCounters(const Row& row, Fabric& fabric)
{
    constexpr std::uint64_t kUnknown = ~std::uint64_t{1}; // written where a port does not have the counter
    PortReading* const port = fabric.portOf(row);
    for (std::size_t i = 0; port != nullptr && i < std::min(row.columns.size(), row.fields.size()); ++i) {
        if (const auto raw = numberIn(row.fields[i]); raw && *raw < kUnknown) {
            addPortCounter(*port, row.columns[i], row.fields[i]);
        }
    }
}

void readCable(const Row& row, Fabric& fabric)
{
    PortReading* const port = fabric.portOf(row);
    const auto celsius = port != nullptr ? decimalAtFront(row["Temperature"]) : std::nullopt;
    if (celsius && *celsius > 0) {
        port->facts["module_celsius"] = fmt::format("{:g}", *celsius);
    }
}

/// The faster speed that both ends can do, if the link does not.
void compareEnds(Fabric& fabric)
{
    for (auto& [key, port] : fabric.ports) {
        const auto link = fabric.links.find(key);
        const auto own = fabric.fastest.find(key);
        if (link == fabric.links.end() || own == fabric.fastest.end() ||
            !fabric.fastest.contains(link->second)) {
            continue;
        }
        const trace::LinkGeneration* const best =
            generationOfSpeed(own->second & fabric.fastest.at(link->second));
        if (best != nullptr && port.facts["generation"] != best->name &&
            best->gbps * static_cast<double>(port.states[trace::SeriesName::RdmaLanes]) * 1000 >
                static_cast<double>(port.states[trace::SeriesName::RdmaRate])) {
            port.facts["could_be"] = best->name;
        }
    }
}

Reading readingOf(Fabric fabric)
{
    compareEnds(fabric);
    Reading reading;
    reading.holdsTotals = true;
    for (auto& [key, port] : fabric.ports) {
        const auto node = fabric.nodes.find(key.first);
        if (node != fabric.nodes.end()) {
            port.node = node->second.name;
            port.isSwitch = node->second.isSwitch;
        }
        if (const auto link = fabric.links.find(key); link != fabric.links.end()) {
            const auto far = fabric.nodes.find(link->second.first);
            port.farEnd = fmt::format(
                "{} port {}", far != fabric.nodes.end() ? shortNode(far->second.name) : link->second.first,
                link->second.second);
        } else {
            const auto state = port.states.find(trace::SeriesName::RdmaState);
            port.isUnplugged = state != port.states.end() && state->second == 1;
        }
        nameByNode(port);
        reading.ports.push_back(std::move(port));
    }
    return reading;
}

bool recognizes(std::string_view text)
{
    bool header = false; // of the table's columns
    while (const auto line = takeLine(text)) {
        if (header) {
            return holds(*line, ",");
        }
        header = line->starts_with("START_") && !holds(*line, " ");
    }
    return false;
}

struct Table {
    std::string_view name;
    void (*read)(const Row&, Fabric&);
};
constexpr std::array<Table, 5> kTables{{{"NODES", readNode},
                                        {"LINKS", readLink},
                                        {"PORTS", readPort},
                                        {"PM_INFO", readCounters},
                                        {"CABLE_INFO", readCable}}};

Reading read(const File& file)
{
    Fabric fabric;
    const Table* table = nullptr;
    Fields columns;
    std::string_view text = file.text;
    while (const auto line = takeLine(text)) {
        constexpr std::string_view kStart = "START_";
        if (line->starts_with(kStart)) {
            const std::string_view name = values::trimmed(line->substr(kStart.size()));
            const auto* const found = std::ranges::find(kTables, name, &Table::name);
            table = found != kTables.end() ? found : nullptr;
            columns.clear();
        } else if (line->starts_with("END_")) {
            table = nullptr;
        } else if (table != nullptr && columns.empty()) {
            columns = fieldsOf(*line);
        } else if (table != nullptr) {
            const Fields fields = fieldsOf(*line);
            table->read({columns, fields}, fabric);
        }
    }
    return readingOf(std::move(fabric));
}

} // namespace

RINGSIDE_TOOL_OUTPUT(ibdiagnet_db_csv, .command = "ibdiagnet, which writes ibdiagnet2.db_csv",
                     .recognizes = recognizes, .read = read);

} // namespace ringside::tool_output::reader_ibdiagnet_db_csv
