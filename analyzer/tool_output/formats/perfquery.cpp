// SPDX-License-Identifier: Apache-2.0
// perfquery of infiniband-diags: counters of ports, also of switches, by LID. The layout is that of
// output_aggregate_perfcounters(), dump_perfcounters() and common_func() in rdma-core's
// infiniband-diags/perfquery.c: plain, extended (-x), and what bad packets were (-E).
#include "tool_output/port_words.h"
#include "tool_output/reader.h"
#include "tool_output/text.h"

#include <fmt/format.h>

#include <array>
#include <set>

namespace ringside::tool_output::reader_perfquery {
namespace {

enum class Part : std::uint8_t { Other, Counters, Details };

struct Head {
    Part part = Part::Other;
    std::uint64_t lid = 0, port = 0;
};

/// Reads "# Port extended counters: Lid 1719 port 2 (CapMask: 0x5300)".
std::optional<Head> headOf(std::string_view line)
{
    const auto [kind, rest] = partedBy(line, " counters: Lid ");
    const auto [lid, after] = partedBy(rest, " port ");
    std::string_view words = after;
    const auto lidNumber = numberIn(lid);
    const auto portNumber = numberIn(takeWord(words));
    if (!lidNumber || !portNumber) {
        return std::nullopt;
    }
    const Part part = kind == "# Port" || kind == "# Port extended" ? Part::Counters
                      : kind == "# PortRcvErrorDetails"             ? Part::Details
                                                                    : Part::Other;
    return Head{part, *lidNumber, *portNumber};
}

bool recognizes(std::string_view text)
{
    while (const auto line = takeLine(text)) {
        if (const auto head = headOf(*line); head && head->part != Part::Other) {
            return true;
        }
    }
    return false;
}

/// Returns the words for a count of PortRcvErrorDetails (IB architecture, vol. 1, 16.1.4.4).
std::string_view detailOf(std::string_view name)
{
    struct Detail {
        std::string_view name, words;
    };
    constexpr std::array<Detail, 6> kDetails{{{"PortLocalPhysicalErrors", "damaged on this link"},
                                              {"PortMalformedPktErrors", "malformed by their sender"},
                                              {"PortBufferOverrunErrors", "without a buffer"},
                                              {"PortDLIDMappingErrors", "for an unknown address"},
                                              {"PortVLMappingErrors", "on an unknown lane"},
                                              {"PortLoopingErrors", "in a loop of the routes"}}};
    for (const Detail& each : kDetails) {
        if (each.name == name) {
            return each.words;
        }
    }
    return {};
}

void readLine(std::string_view line, Part part, PortReading& port)
{
    const auto [name, dotted] = partedBy(line, ":");
    const std::size_t digits = dotted.find_first_not_of(". \t");
    if (digits == std::string_view::npos) {
        return;
    }
    const std::string_view value = dotted.substr(digits);
    if (part == Part::Counters) {
        addPortCounter(port, name, value);
    } else if (const auto raw = numberIn(value); raw.value_or(0) > 0 && !detailOf(name).empty()) {
        std::string& details = port.facts["receive_error_details"];
        details += fmt::format("{}{} {}", details.empty() ? "" : ", ", *raw, detailOf(name));
    }
}

Reading read(const File& file)
{
    Reading reading;
    reading.holdsTotals = true;
    std::set<std::tuple<Part, std::uint64_t, std::uint64_t>> seen;
    Part part = Part::Other;
    std::string_view text = file.text;
    while (const auto line = takeLine(text)) {
        if (line->starts_with('#')) {
            const auto head = headOf(*line);
            part = head ? head->part : Part::Other;
            if (part == Part::Other) {
                continue;
            }
            if (!seen.insert({part, head->lid, head->port}).second) {
                reading.losses.push_back(
                    fmt::format("it holds port lid{}:{} more than once, and only the first reading of it "
                                "counts: write each into a file of its own",
                                head->lid, head->port));
                part = Part::Other;
                continue;
            }
            PortReading port;
            port.lid = head->lid;
            port.number = head->port;
            port.facts["link_layer"] = "InfiniBand";
            reading.ports.push_back(std::move(port));
        } else if (part != Part::Other) {
            readLine(*line, part, reading.ports.back());
        }
    }
    return reading;
}

} // namespace

RINGSIDE_TOOL_OUTPUT(perfquery, .command = "perfquery -x LID PORT > FILE", .recognizes = recognizes,
                     .read = read);

} // namespace ringside::tool_output::reader_perfquery
