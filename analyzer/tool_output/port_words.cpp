// SPDX-License-Identifier: Apache-2.0
#include "tool_output/port_words.h"

#include "tool_output/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace ringside::tool_output {
namespace {

struct KnownCounter {
    std::string_view folder;
    std::string_view file;
    const char* metric;
    unsigned saturatesBits;
    std::uint64_t unit;
};
constexpr KnownCounter kKnownCounters[] = {
#define RINGSIDE_PORT_COUNTER(folder, file, metric, bits, unit, pace) {folder, file, metric, bits, unit},
#include "host/rdma/counters.def"
};

/// Maps "PortXmitPkts", "PortXmitPktsExtended" and "port_xmit_packets" to the same word.
std::string plainName(std::string_view name)
{
    std::string word;
    for (const char c : name) {
        if (c != '_') {
            word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
    }
    for (const std::string_view end : {"extended", "ext", "counter"}) {
        if (word.ends_with(end)) {
            word.resize(word.size() - end.size());
        }
    }
    if (word.ends_with("pkts")) {
        word.replace(word.size() - 4, 4, "packets");
    }
    return word;
}

/// Returns false if the text is no count.
bool addText(PortReading& port, const KnownCounter& counter, std::string_view name, std::string_view text)
{
    if (const auto raw = numberIn(text)) {
        port.counters.push_back(
            {trace::findSeries("rdma", counter.metric)->name, *raw, counter.saturatesBits, counter.unit});
        return true;
    }
    port.damaged.push_back(fmt::format("{} says \"{}\"", name, printable(text)));
    return false;
}

/// Returns the counter of counters/ that a tool calls so; null if it is none.
const KnownCounter* portCounterOf(std::string_view name)
{
    const std::string word = plainName(name);
    const auto* const found = std::ranges::find_if(kKnownCounters, [&](const KnownCounter& each) {
        return each.folder == "counters" && plainName(each.file) == word;
    });
    return found == std::end(kKnownCounters) ? nullptr : found;
}

template <class Words>
std::optional<std::int64_t> placeIn(const Words& words, std::string_view word)
{
    for (const auto& [text, number] : words) {
        if (plainName(text) == plainName(word)) { // the kernel calls "LinkUp" LINK_UP
            return number;
        }
    }
    return std::nullopt;
}

struct Named {
    std::string_view text;
    std::int64_t number;
};

} // namespace

void addPortCounter(PortReading& port, std::string_view name, std::string_view text)
{
    const KnownCounter* const found = portCounterOf(name);
    if (found != nullptr && addText(port, *found, name, text) &&
        (name.ends_with("Ext") || name.ends_with("Extended"))) {
        port.counters.back().saturatesBits = 0;
    }
}

void addHardwareCounter(PortReading& port, std::string_view name, std::string_view text)
{
    const auto* const found = std::ranges::find_if(kKnownCounters, [&](const KnownCounter& each) {
        return each.folder == "hw_counters" && each.file == name;
    });
    if (found != std::end(kKnownCounters)) {
        addText(port, *found, name, text);
    }
}

std::optional<std::int64_t> portStateIn(std::string_view word)
{
    constexpr std::array<Named, 7> kStates{{{"Down", 1},
                                            {"Init", 2},
                                            {"Initialize", 2},
                                            {"Initializing", 2},
                                            {"Armed", 3},
                                            {"Active", 4},
                                            {"ActiveDefer", 5}}};
    return placeIn(kStates, word);
}

std::optional<std::int64_t> physicalStateIn(std::string_view word)
{
    constexpr std::array<Named, 7> kStates{{{"Sleep", 1},
                                            {"Polling", 2},
                                            {"Disabled", 3},
                                            {"PortConfigurationTraining", 4},
                                            {"LinkUp", 5},
                                            {"LinkErrorRecovery", 6},
                                            {"PhyTest", 7}}};
    return placeIn(kStates, word);
}

std::optional<std::uint64_t> lanesIn(std::string_view word)
{
    if (!word.ends_with('X') && !word.ends_with('x')) {
        return std::nullopt;
    }
    constexpr std::uint64_t kMost = 16;
    const auto lanes = numberIn(word.substr(0, word.size() - 1));
    return lanes && *lanes >= 1 && *lanes <= kMost ? lanes : std::nullopt;
}

const trace::LinkGeneration* generationOf(double gbpsOfLane)
{
    constexpr double kNear = 0.1;
    const auto distance = [gbpsOfLane](const trace::LinkGeneration& each) {
        return std::abs(gbpsOfLane - each.signalledGbps);
    };
    const auto* const nearest = std::ranges::min_element(trace::kLinkGenerations, {}, distance);
    return distance(*nearest) <= kNear * nearest->signalledGbps ? nearest : nullptr;
}

void setLink(PortReading& port, std::uint64_t lanes, const trace::LinkGeneration& generation)
{
    constexpr double kMegabits = 1000.0;
    port.states[trace::SeriesName::RdmaLanes] = static_cast<std::int64_t>(lanes);
    port.states[trace::SeriesName::RdmaRate] =
        static_cast<std::int64_t>(generation.gbps * kMegabits * static_cast<double>(lanes));
    port.facts["generation"] = generation.name;
}

void nameByNode(PortReading& port)
{
    std::string_view rest = port.node;
    const std::string_view host = takeWord(rest);
    const std::string_view device = takeWord(rest);
    if (!port.isSwitch && !host.empty() && !device.empty() && takeWord(rest).empty() && port.number) {
        port.host = printable(host);
        port.device = fmt::format("{}:{}", printable(device), *port.number);
    }
}

std::string shortNode(std::string_view node)
{
    const std::string_view name = partedBy(node, ";").second;
    return printable(name.empty() ? node : partedBy(name, ":").first);
}

} // namespace ringside::tool_output
