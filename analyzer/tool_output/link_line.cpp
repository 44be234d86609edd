// SPDX-License-Identifier: Apache-2.0
#include "tool_output/link_line.h"

#include "tool_output/port_words.h"
#include "tool_output/text.h"

#include <fmt/format.h>

namespace ringside::tool_output {
namespace {

constexpr std::string_view kBefore = "==(";
constexpr std::string_view kAfter = ")==>";

/// Reads "0x0c42a1030079e6f8 \"node\"   5   1[  ]": GUID and node are absent in most forms.
void readEnd(std::string_view text, PortReading& port)
{
    std::string_view words = text;
    if (std::string guid = guidIn(takeWord(words)); !guid.empty()) {
        port.guids.push_back(std::move(guid));
    }
    if (holds(text, "\"")) {
        port.node = printable(between(text, "\"", "\""));
    }
    const std::string_view named = holds(text, "\"") ? text.substr(text.rfind('"') + 1) : text;
    std::string_view numbers = partedBy(named, "[").first;
    std::optional<std::uint64_t> last;
    for (std::string_view word = takeWord(numbers); !word.empty(); word = takeWord(numbers)) {
        port.lid = last;
        last = word.starts_with("0x") ? std::nullopt : numberIn(word);
    }
    port.number = last;
}

/// Reads " 4X        53.125 Gbps Active/  LinkUp", or "     Down/ Polling".
void readLink(std::string_view text, PortReading& port)
{
    const auto [link, physical] = partedBy(text, "/");
    std::string_view rest = link;
    std::string_view state;
    std::optional<std::uint64_t> lanes;
    const trace::LinkGeneration* generation = nullptr;
    for (std::string_view word = takeWord(rest); !word.empty(); word = takeWord(rest)) {
        state = word;
        if (!lanes) {
            lanes = lanesIn(word);
        } else if (generation == nullptr) {
            generation = generationOf(decimalAtFront(word).value_or(0));
        }
    }
    if (const auto number = portStateIn(state)) {
        port.states[trace::SeriesName::RdmaState] = *number;
    }
    if (const auto number = physicalStateIn(values::trimmed(physical))) {
        port.states[trace::SeriesName::RdmaPhysicalState] = *number;
    }
    if (lanes && generation != nullptr) {
        setLink(port, *lanes, *generation);
    }
}

/// Reads `[0x...] 3 7[  ] "MF0;leaf01:MQM8700/U1" ( Could be 106.25 Gbps)`.
void readFarEnd(std::string_view text, PortReading& port)
{
    PortReading far;
    readEnd(partedBy(text, "\"").first, far);
    const auto [node, message] = partedBy(partedBy(text, "\"").second, "\"");
    if (node.empty()) {
        port.isUnplugged = port.states.contains(trace::SeriesName::RdmaState) &&
                           port.states.at(trace::SeriesName::RdmaState) == 1;
        return;
    }
    port.farEnd = shortNode(node) + (far.number ? fmt::format(" port {}", *far.number) : "");
    constexpr std::string_view kCouldBe = "Could be ";
    if (holds(message, kCouldBe)) {
        port.facts["could_be"] = printable(partedBy(partedBy(message, kCouldBe).second, ")").first);
    }
}

} // namespace

bool isLinkLine(std::string_view line)
{
    return holds(line, kBefore) && holds(line, kAfter);
}

std::optional<PortReading> portOfLinkLine(std::string_view line)
{
    const auto [near, rest] = partedBy(line, kBefore);
    const auto [link, far] = partedBy(rest, kAfter);
    PortReading port;
    port.facts["link_layer"] = "InfiniBand";
    readEnd(near, port);
    readLink(link, port);
    readFarEnd(far, port);
    return port.number ? std::optional(std::move(port)) : std::nullopt;
}

} // namespace ringside::tool_output
