// SPDX-License-Identifier: Apache-2.0
#include "tool_output/parts.h"

#include "tool_output/text.h"

#include <algorithm>

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

} // namespace

Parts partsOf(File file)
{
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    Parts parts;
    if (file.text.starts_with(kByteOrderMark)) {
        file.text.erase(0, kByteOrderMark.size());
    }
    if (const std::size_t end = file.text.rfind('\n');
        end != std::string::npos && end + 1 < file.text.size()) {
        parts.isCut = !values::trimmed(std::string_view(file.text).substr(end)).empty();
        file.text.resize(end + 1);
    }
    ByHost hosts = byHeading(file.text);
    hosts = hosts.empty() ? byPrefix(file.text) : hosts;
    for (auto& [host, text] : hosts) {
        File& part = parts.files.emplace_back(file);
        part.host = file.host.empty() ? host : file.host;
        part.text = std::move(text);
    }
    if (parts.files.empty()) {
        parts.files.push_back(std::move(file));
    }
    return parts;
}

} // namespace ringside::tool_output
