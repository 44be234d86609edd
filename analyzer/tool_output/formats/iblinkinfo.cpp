// SPDX-License-Identifier: Apache-2.0
// iblinkinfo of infiniband-diags: all links of a fabric with their state, width, rate and both ends. The
// layout is that of print_node_header() and print_port() in rdma-core's infiniband-diags/iblinkinfo.c; with
// and without -l.
#include "tool_output/link_line.h"
#include "tool_output/port_words.h"
#include "tool_output/reader.h"
#include "tool_output/text.h"

namespace ringside::tool_output::reader_iblinkinfo {
namespace {

struct Node {
    std::string name;
    std::string guid; ///< of a switch; an adapter's lines have their own
    bool isSwitch = false;
};

/// Reads "Switch: 0x043f720300f0b4a2 MF0;leaf01:MQM8700/U1:" or "CA: gpu7 mlx5_0:".
std::optional<Node> nodeOf(std::string_view line)
{
    const auto [kind, rest] = partedBy(line, ": ");
    if (kind != "Switch" && kind != "CA" && kind != "Router") {
        return std::nullopt;
    }
    std::string_view name = values::trimmed(rest);
    Node node{{}, {}, kind == "Switch"};
    if (node.isSwitch) {
        node.guid = guidIn(takeWord(name));
    }
    name = values::trimmed(name);
    node.name = printable(name.substr(0, name.ends_with(':') ? name.size() - 1 : name.size()));
    return node;
}

bool recognizes(std::string_view text)
{
    bool links = false;
    while (const auto line = takeLine(text)) {
        if (line->starts_with("Errors for ")) {
            return false; // ibqueryerrors shows links, too
        }
        links = links || isLinkLine(*line);
    }
    return links;
}

Reading read(const File& file)
{
    Reading reading;
    Node node;
    std::string_view text = file.text;
    while (const auto line = takeLine(text)) {
        if (auto head = nodeOf(*line)) {
            node = std::move(*head);
            continue;
        }
        auto port = isLinkLine(*line) ? portOfLinkLine(*line) : std::nullopt;
        if (!port) {
            continue;
        }
        if (port->node.empty()) {
            port->node = node.name;
            port->isSwitch = node.isSwitch;
        }
        if (!node.guid.empty() && port->guids.empty()) {
            port->guids.push_back(node.guid);
        }
        nameByNode(*port);
        reading.ports.push_back(std::move(*port));
    }
    return reading;
}

} // namespace

RINGSIDE_TOOL_OUTPUT(iblinkinfo, .command = "iblinkinfo > FILE", .recognizes = recognizes, .read = read);

} // namespace ringside::tool_output::reader_iblinkinfo
