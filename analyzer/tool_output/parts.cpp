// SPDX-License-Identifier: Apache-2.0
#include "tool_output/parts.h"

#include "tool_output/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
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

/// The documents of a text that follow one another.
struct Documents {
    std::vector<Json> all;
    bool isCut =
        false; ///< the last one is not whole: of a list it has the elements that are, else the values
};

Documents documentsIn(std::string_view text)
{
    Documents found;
    std::string open; // the brackets that will close what is open
    std::string openAtWhole;
    std::size_t lists = 0; // of them
    std::size_t begin = 0;
    std::size_t whole = 0; // up to here the present document is complete but for the brackets openAtWhole
    const auto add = [&](const std::string& document) {
        Json parsed = Json::parse(document, nullptr, false);
        found.isCut = found.isCut || parsed.is_discarded();
        if (!parsed.is_discarded()) {
            found.all.push_back(std::move(parsed));
        }
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"') {
            for (++i; i < text.size() && text[i] != '"'; ++i) {
                i += text[i] == '\\' ? 1 : 0;
            }
        } else if (c == '{' || c == '[') {
            if (open.empty()) {
                begin = whole = i;
            }
            open += c == '{' ? '}' : ']';
            lists += c == '[' ? 1 : 0;
        } else if (!open.empty() && (c == ',' || c == open.back())) {
            const bool ends = c != ',';
            open.resize(open.size() - (ends ? 1 : 0));
            lists -= c == ']' ? 1 : 0;
            if (open.empty()) {
                add(std::string(text.substr(begin, i + 1 - begin)));
            } else if (open == "]" || lists == 0) {
                whole = ends ? i + 1 : i;
                openAtWhole = open;
            }
        }
    }
    if (!open.empty() && whole > begin) {
        add(std::string(text.substr(begin, whole - begin)).append(openAtWhole.rbegin(), openAtWhole.rend()));
    }
    found.isCut = found.isCut || !open.empty();
    return found;
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

/// What one tool printed, and what its port is called; empty: the output names it, or nobody does.
struct Output {
    std::string text;
    std::string port = {};
};

/// Returns what mlxlink says of its failure; empty if it did not fail, or tells no status.
std::string failureIn(const Json& document)
{
    const Json::json_pointer code("/status/code");
    if (!document.contains(code) || document[code] == 0) {
        return "";
    }
    const Json::json_pointer message("/status/message");
    return fmt::format("mlxlink failed with code {}{}", printable(plain(document[code])),
                       document.contains(message) ? ": " + printable(plain(document[message])) : "");
}

/// Returns what a tool printed as JSON in the form in which it prints text; of a list, each port. `ip -j` has
/// an "ifindex" beside the name, and counts nothing that is judged here.
std::vector<Output> outputsOf(const Json& document)
{
    std::vector<Output> outputs;
    const auto isPort = [](const Json& each) {
        return each.is_object() && each.contains("ifname") &&
               (each.contains("port") || !each.contains("ifindex"));
    };
    if (const Json::json_pointer sections("/result/output"); document.contains(sections)) {
        outputs.push_back({mlxlinkText(document[sections])});
    } else if (document.is_array() && std::ranges::all_of(document, isPort)) {
        for (const Json& each : document) {
            outputs.push_back({portText(each)});
        }
    }
    return outputs;
}

/// Returns the outputs of tools that do not name their port. The line before may do, such as that of `echo`.
std::vector<Output> outputsIn(std::string_view text)
{
    constexpr std::array<std::string_view, 2> kFirstLines{"Operational Info", "NIC statistics:"};
    std::vector<Output> outputs;
    std::string name;
    while (const auto line = takeLine(text)) {
        const std::string plain = withoutColours(values::trimmed(*line));
        if (std::ranges::find(kFirstLines, plain) != kFirstLines.end()) {
            outputs.push_back({"", name});
        }
        name = isHostName(plain) ? plain : plain.empty() ? name : "";
        if (!outputs.empty()) {
            outputs.back().text.append(*line).append("\n");
        }
    }
    return outputs;
}

/// Adds the outputs that follow one another in a file, or the file as it is.
void addParts(const File& file, Parts& parts)
{
    const Documents documents = isJson(file.text) ? documentsIn(file.text) : Documents();
    parts.isCut = parts.isCut || documents.isCut;
    std::vector<Output> outputs = documents.all.empty() ? outputsIn(file.text) : std::vector<Output>();
    for (const Json& document : documents.all) {
        if (const std::string failure = failureIn(document); !failure.empty()) {
            parts.failures.push_back(failure);
        } else {
            std::ranges::move(outputsOf(document), std::back_inserter(outputs));
        }
    }
    if (outputs.empty() && !parts.failures.empty()) {
        return;
    }
    if (outputs.empty() || (outputs.size() == 1 && documents.all.empty())) {
        parts.files.push_back(file);
        return;
    }
    for (Output& each : outputs) {
        parts.files.push_back(file);
        parts.files.back().text = std::move(each.text);
        if (outputs.size() > 1) {
            parts.files.back().port =
                each.port.empty() ? fmt::format("{}#{}", file.port, &each - outputs.data() + 1) : each.port;
        }
    }
}

/// Returns the text as ASCII where it is UTF-16, as PowerShell writes it, or UTF-8 without its mark. What
/// tools print is ASCII; '?' stands for other characters of UTF-16.
std::string withoutMark(std::string text)
{
    constexpr std::string_view kUtf8 = "\xEF\xBB\xBF";
    if (text.starts_with(kUtf8)) {
        return text.substr(kUtf8.size());
    }
    const bool littleEnd = text.starts_with("\xFF\xFE");
    if (!littleEnd && !text.starts_with("\xFE\xFF")) {
        return text;
    }
    std::string plain;
    for (std::size_t i = 2; i + 1 < text.size(); i += 2) {
        const char low = text[littleEnd ? i : i + 1];
        const char high = text[littleEnd ? i + 1 : i];
        plain += high == 0 && static_cast<signed char>(low) > 0 ? low : '?';
    }
    return plain;
}

} // namespace

Parts partsOf(File file)
{
    Parts parts;
    file.text = withoutMark(std::move(file.text));
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
