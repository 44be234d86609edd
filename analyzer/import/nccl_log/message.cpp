// SPDX-License-Identifier: Apache-2.0
#include "import/nccl_log/message.h"

#include "values/parse_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace ringside::importers::nccl_log {
namespace {

constexpr std::int64_t kMostRanks = 10'000'000;

/// Parses the number after a word, such as "count 4096". Null if word or number is missing.
template <class Number>
std::optional<Number> numberAfter(std::string_view text, std::string_view word, int base = 10)
{
    const std::size_t at = text.find(word);
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    std::string_view digits = text.substr(at + word.size());
    if (base == 16 && digits.starts_with("0x")) {
        digits.remove_prefix(2);
    }
    return values::takeNumber<Number>(digits, base);
}

std::string_view wordAfter(std::string_view text, std::string_view word)
{
    const std::size_t at = text.find(word);
    return at == std::string_view::npos
               ? std::string_view()
               : text.substr(at + word.size(), text.find(' ', at + word.size()) - at - word.size());
}

Parsed parseInit(std::string_view text)
{
    InitLine line;
    const auto communicator = numberAfter<std::uint64_t>(text, "comm ", 16);
    const auto rank = numberAfter<std::int64_t>(text, " rank ");
    const auto size = numberAfter<std::int64_t>(text, " nranks ");
    if (!communicator || !rank || !size || *rank < 0 || *size < 1 || *size > kMostRanks || *rank >= *size) {
        return TornLine{};
    }
    line.communicator = *communicator;
    line.rank = *rank;
    line.size = *size;
    line.device = numberAfter<std::int64_t>(text, " cudaDev ").value_or(-1);
    line.busId = numberAfter<std::uint64_t>(text, " busId ", 16).value_or(0);
    line.commId = numberAfter<std::uint64_t>(text, " commId ", 16);
    line.parent = numberAfter<std::uint64_t>(text, " parent ", 16).value_or(0);
    if (line.parent != 0) { // NCCL before 2.27 writes "splitCount" instead of "childCount"
        std::string_view count = wordAfter(text, " childCount ");
        count = count.empty() ? wordAfter(text, " splitCount ") : count;
        line.split = fmt::format("{} {}", count, wordAfter(text, " color "));
    }
    line.complete = text.find("COMPLETE") != std::string_view::npos;
    return line;
}

/// Parses "AllReduce: opCount 3 sendbuff ... count 4 datatype 7 op 0 root 0 comm 0x... [nranks=4] stream
/// ...".
Parsed parseCall(std::string_view text, std::size_t colon)
{
    CallLine line;
    line.function = text.substr(0, colon);
    const bool isName = std::ranges::all_of(
        line.function, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; });
    constexpr std::size_t kLongestName = 32;
    const auto opCount = numberAfter<std::uint64_t>(text, ": opCount ", 16);
    const auto count = numberAfter<std::uint64_t>(text, " count ");
    const auto datatype = numberAfter<std::int64_t>(text, " datatype ");
    const auto reduction = numberAfter<std::int64_t>(text, " op ");
    const auto root = numberAfter<std::int64_t>(text, " root ");
    const auto communicator = numberAfter<std::uint64_t>(text, " comm ", 16);
    const auto size =
        numberAfter<std::int64_t>(text, " [nranks="); // a handle that is cut off has none behind it
    if (!isName || line.function.empty() || line.function.size() > kLongestName || !opCount || !count ||
        !datatype || !reduction || !root || !communicator || !size) {
        return TornLine{.call = true};
    }
    line.opCount = *opCount;
    line.count = *count;
    line.datatype = *datatype;
    line.reduction = *reduction;
    line.root = *root;
    line.communicator = *communicator;
    line.size = *size > 0 && *size <= kMostRanks ? *size : 0;
    return line;
}

/// Parses "NCCL_ALGO set by environment to Ring". After a number, NCCL adds a full stop.
Parsed parseEnvironment(std::string_view text, std::size_t at)
{
    constexpr std::string_view kWords = " set by environment to ";
    EnvironmentLine line{text.substr(0, at), text.substr(at + kWords.size())};
    line.name.remove_prefix(line.name.find_last_of(' ') + 1); // npos + 1 is 0
    if (line.value.ends_with('.')) {
        const std::string_view number = line.value.substr(0, line.value.size() - 1);
        line.value = number.find_first_not_of("-0123456789") == std::string_view::npos ? number : line.value;
    }
    return line;
}

/// Parses "Channel 00/0 : 0[0] -> 1[1] [send] via NET/IB/0/GDRDMA". The fact's name contains the transport
/// without the numbers in it.
Parsed parseConnection(std::string_view text, std::size_t at)
{
    constexpr std::string_view kVia = " via ";
    std::string way;
    std::string_view rest = text.substr(at + kVia.size());
    rest = rest.substr(0, rest.find(' '));
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('/'), rest.size());
        const std::string_view part = rest.substr(0, end);
        const bool number = part.find_first_not_of("0123456789()[]") == std::string_view::npos;
        way += number ? "" : fmt::format("{}{}", way.empty() ? "" : "/", part);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    const bool sends = text.find("[receive]") == std::string_view::npos;
    return FactLine{fmt::format("{} via {}", sends ? "connections" : "receiving connections", way), {}, true};
}

struct Known {
    std::string_view begin;
    std::string_view name;
};
/// Messages that are kept unchanged, by their beginning.
constexpr std::array kKnown{Known{"Using network ", "network"},
                            Known{"Trees ", "trees"},
                            Known{"NET/IB : Using ", "ib_devices"},
                            Known{"NET/Socket : Using ", "socket_devices"},
                            Known{"NET/Plugin: Loaded net plugin ", "net_plugin"},
                            Known{"NET/Plugin: Loaded collnet plugin ", "collnet_plugin"},
                            Known{"cudaDriverVersion ", "cuda_driver_version"}};

Parsed parseFact(std::string_view text)
{
    const auto known =
        std::ranges::find_if(kKnown, [&](const Known& each) { return text.starts_with(each.begin); });
    if (known != kKnown.end()) {
        return FactLine{std::string(known->name), text.substr(known->begin.size())};
    }
    if (const std::size_t at = text.find(" coll channels"); at != std::string_view::npos) {
        return FactLine{"coll_channels", text.substr(0, at)};
    }
    // "Channel 00/02 :    0   1   2   3" is a ring.
    const std::size_t colon = text.find(" :");
    if (text.starts_with("Channel ") && colon != std::string_view::npos) {
        const std::string_view order = text.substr(colon + 2);
        if (!order.empty() && order.find_first_not_of(" 0123456789.") == std::string_view::npos) {
            return FactLine{fmt::format("ring {}", text.substr(8, colon - 8)), order};
        }
    }
    return OtherLine{};
}

} // namespace

Parsed parseMessage(std::string_view text)
{
    if (text.find(" - Init ") != std::string_view::npos ||
        text.find("- Init START") != std::string_view::npos) {
        return parseInit(text);
    }
    if (const std::size_t at = text.find(": opCount "); at != std::string_view::npos) {
        return parseCall(text, at);
    }
    if (const std::size_t at = text.find(" set by environment to "); at != std::string_view::npos) {
        return parseEnvironment(text, at);
    }
    if (const std::size_t at = text.find(" via ");
        at != std::string_view::npos && text.starts_with("Channel ")) {
        return parseConnection(text, at);
    }
    return parseFact(text);
}

std::string_view versionOf(std::string_view line)
{
    constexpr std::string_view kWords = "NCCL version ";
    const std::size_t at = line.find(kWords);
    if (at == std::string_view::npos) {
        return {};
    }
    const std::string_view version = line.substr(at + kWords.size());
    const std::size_t end = version.find_first_not_of("0123456789.+abcdefghijklmnopqrstuvwxyz");
    return version.starts_with('2') ? version.substr(0, end) : std::string_view();
}

std::string busName(std::uint64_t busId)
{
    return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", busId >> 20U & 0xFFFFU, busId >> 12U & 0xFFU,
                       busId >> 4U & 0xFFU, busId & 0xFU);
}

} // namespace ringside::importers::nccl_log
