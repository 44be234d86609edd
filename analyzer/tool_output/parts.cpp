// SPDX-License-Identifier: Apache-2.0
#include "tool_output/parts.h"

#include "tool_output/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ringside::tool_output {
namespace {

using ByHost = std::map<std::string, std::string>;

bool isHostName(std::string_view text)
{
    constexpr std::size_t kLongest = 253; // RFC 1035
    return !text.empty() && text.size() <= kLongest && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
               c == '-' || c == '_';
    });
}

/// Reads "gpu7: CA 'mlx5_0'", as pdsh and clush begin each line; empty if a line does not begin so.
ByHost byPrefix(std::string_view text)
{
    ByHost hosts;
    while (const auto line = takeLine(text)) {
        if (values::trimmed(*line).empty()) {
            continue;
        }
        const auto [name, rest] = partedBy(*line, ":");
        if (!isHostName(name) || (!rest.empty() && rest.front() != ' ')) {
            return {};
        }
        hosts[std::string(name)].append(rest.substr(std::min<std::size_t>(1, rest.size()))).append("\n");
    }
    return hosts;
}

/// Reads what dshbak and `clush -b` print: each host's lines below its name between two lines of dashes.
ByHost byHeading(std::string_view text)
{
    constexpr std::string_view kRule = "---------------";
    ByHost hosts;
    std::string* lines = nullptr;
    while (const auto line = takeLine(text)) {
        if (*line == kRule) {
            const std::string_view name = takeLine(text).value_or("");
            if (!isHostName(name) || takeLine(text) != kRule) {
                return {};
            }
            lines = &hosts[std::string(name)];
        } else if (lines != nullptr) {
            lines->append(*line).append("\n");
        } else if (!values::trimmed(*line).empty()) {
            return {};
        }
    }
    return hosts;
}

using Json = nlohmann::ordered_json;

/// Logs may begin with a bracket as well.
bool isJson(std::string_view text)
{
    std::string_view body = values::trimmed(text);
    const bool isList = body.starts_with('[');
    body = isList ? values::trimmed(body.substr(1)) : body;
    return body.starts_with('{') || (isList && body == "]");
}

/// Parses a document; of a list whose end is missing, the elements that are whole.
Json parsed(std::string_view text, bool& isCut)
{
    constexpr int kMostTries = 64; // more levels and broken pieces than these tools print after an element
    Json document = Json::parse(text, nullptr, false);
    isCut = isCut || document.is_discarded();
    for (int i = 0; i < kMostTries && document.is_discarded() && !text.empty(); ++i) {
        text = text.substr(0, text.rfind('}') + 1);
        document = Json::parse(std::string(text) + "]", nullptr, false);
        text.remove_suffix(text.empty() ? 0 : 1);
    }
    return document;
}

/// Returns a value as text prints it; mlxlink makes a list of "1.9,2.1 [-10.4..6]", split at the commas.
std::string plain(const Json& value)
{
    if (value.is_object() && value.contains("values") && value["values"].is_array()) {
        std::string list;
        for (const Json& each : value["values"]) {
            list += (list.empty() ? "" : ",") + plain(each);
        }
        return list;
    }
    return value.is_string()      ? value.get<std::string>()
           : value.is_primitive() ? value.dump(-1, ' ', false, Json::error_handler_t::replace)
                                  : "";
}

/// `mlxlink --json` (toJsonFormat() in mstflint's mlxlink_cmd_print.cpp).
std::string mlxlinkText(const Json& sections)
{
    std::string text;
    for (const auto& [title, section] : sections.items()) {
        text += title + "\n";
        for (const auto& [label, value] : section.items()) {
            text += label + " : " + plain(value) + "\n";
        }
    }
    return text;
}

/// A port of `rdma -j statistic` or `rdma -j link` (rdma/stat.c and link.c in iproute2), or an interface of
/// `ethtool --json -S` (netlink/stats.c in ethtool), whose groups of counters may be missing.
std::string portText(const Json& port)
{
    const std::string device = plain(port["ifname"]);
    const bool isRdma = port.contains("port");
    std::string text = isRdma ? fmt::format("link {}/{}", device, plain(port["port"]))
                              : fmt::format("Standard stats for {}:\n", device);
    for (const auto& [label, value] : port.items()) {
        if (value.is_object() && !isRdma) {
            for (const auto& [name, count] : value.items()) {
                text += fmt::format("{}-{}: {}\n", label, name, plain(count));
            }
        } else if (value.is_primitive() && label != "ifname" && label != "ifindex" && label != "port") {
            text += fmt::format(fmt::runtime(isRdma ? " {} {}" : "{}: {}\n"), label, plain(value));
        }
    }
    return text + "\n";
}

/// Adds what a tool printed as JSON in the form in which it prints text, each port as a part; other files as
/// they are.
void addParts(const File& file, Parts& parts)
{
    bool isCut = false;
    const Json document = isJson(file.text) ? parsed(file.text, isCut) : Json();
    const auto isPort = [](const Json& each) { return each.is_object() && each.contains("ifname"); };
    const auto add = [&](std::string text) {
        parts.isCut = parts.isCut || isCut;
        parts.files.push_back(file);
        parts.files.back().text = std::move(text);
    };
    if (const Json::json_pointer sections("/result/output"); document.contains(sections)) {
        add(mlxlinkText(document[sections]));
    } else if (document.is_array() && !document.empty() && std::ranges::all_of(document, isPort)) {
        for (const Json& each : document) {
            add(portText(each));
        }
    } else {
        parts.files.push_back(file);
    }
}

} // namespace

Parts partsOf(File file)
{
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    Parts parts;
    if (file.text.starts_with(kByteOrderMark)) {
        file.text.erase(0, kByteOrderMark.size());
    }
    if (const std::size_t end = file.text.rfind('\n');
        !isJson(file.text) && end != std::string::npos && end + 1 < file.text.size()) {
        parts.isCut = !values::trimmed(std::string_view(file.text).substr(end)).empty();
        file.text.resize(end + 1);
    }
    ByHost hosts = byHeading(file.text);
    hosts = hosts.empty() ? byPrefix(file.text) : hosts;
    for (auto& [host, text] : hosts) {
        File part = file;
        part.host = file.host.empty() ? host : file.host;
        part.text = std::move(text);
        addParts(part, parts);
    }
    if (hosts.empty()) {
        addParts(file, parts);
    }
    return parts;
}

} // namespace ringside::tool_output
