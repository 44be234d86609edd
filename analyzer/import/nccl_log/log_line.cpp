// SPDX-License-Identifier: Apache-2.0
#include "import/nccl_log/log_line.h"

#include "import/decimal.h"
#include "values/parse_number.h"

#include <algorithm>

namespace ringside::importers::nccl_log {
namespace {

constexpr std::int64_t kLargestId = std::int64_t{1} << 31;

/// Removes the last part of `text` after `separator` and returns it. Null if there is no separator.
std::optional<std::string_view> removeLast(std::string_view& text, char separator)
{
    const std::size_t at = text.rfind(separator);
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view part = text.substr(at + 1);
    text = text.substr(0, at);
    return part;
}

/// Removes the id after the last `separator` and returns it. Null if it is no valid id.
std::optional<std::int64_t> removeLastId(std::string_view& text, char separator)
{
    const auto part = removeLast(text, separator);
    const auto number = part ? values::parseNumber<std::int64_t>(*part) : std::nullopt;
    return number && *number >= 0 && *number <= kLargestId ? number : std::nullopt;
}

std::string_view withoutSpaces(std::string_view text)
{
    const std::size_t end = text.find_last_not_of(' ');
    return text.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

/// The prefix "...HOST:PID:TID [DEVICE] FILE:LINE " before NCCL's level. Only warnings have the file.
struct Prefix {
    Message message;
    std::size_t begin = 0; ///< position of the host in the text
};
std::optional<Prefix> prefixOf(std::string_view before)
{
    Prefix prefix;
    const std::size_t close = before.rfind(']');
    const std::size_t open = before.rfind(" [", close);
    if (close == std::string_view::npos || open == std::string_view::npos) {
        return std::nullopt;
    }
    const auto device = values::parseNumber<std::int64_t>(before.substr(open + 2, close - open - 2));
    std::string_view writer = withoutSpaces(before.substr(0, open));
    const auto tid = removeLastId(writer, ':');
    const auto pid = tid ? removeLastId(writer, ':') : std::nullopt;
    if (!device || *device < 0 || *device > kLargestId || !pid) {
        return std::nullopt;
    }
    prefix.begin = writer.find_last_of(" \t]|>:") + 1; // npos + 1 is 0
    prefix.message.host = writer.substr(prefix.begin);
    prefix.message.pid = *pid;
    prefix.message.tid = *tid;
    prefix.message.device = *device;
    constexpr std::size_t kLongestHost = 255;
    const bool isHost = !prefix.message.host.empty() && prefix.message.host.size() <= kLongestHost;
    return isHost ? std::optional(prefix) : std::nullopt;
}

/// Returns the position of the next "NCCL INFO ", "NCCL WARN " or "NCCL ATTN " (NCCL 2.32), or npos.
std::size_t findLevel(std::string_view line, std::size_t from)
{
    return std::min(
        {line.find("NCCL INFO ", from), line.find("NCCL WARN ", from), line.find("NCCL ATTN ", from)});
}

} // namespace

LineContents readLine(std::string_view line)
{
    constexpr std::string_view kLevel = "NCCL WARN "; // each level has as many letters
    LineContents contents;
    std::size_t from = 0;
    for (std::size_t at = findLevel(line, 0); at != std::string_view::npos;) {
        auto prefix = prefixOf(line.substr(from, at - from));
        const std::size_t text = at + kLevel.size();
        const std::size_t next = findLevel(line, text);
        if (prefix) {
            if (!contents.messages.empty()) { // the previous message ends where this one begins
                Message& before = contents.messages.back();
                before.text = line.substr(from, prefix->begin);
            } else {
                contents.before = line.substr(from, prefix->begin);
            }
            prefix->message.warning = line.substr(at, kLevel.size()) == kLevel;
            prefix->message.text = line.substr(text);
            contents.messages.push_back(prefix->message);
            from = text;
        }
        contents.torn = contents.torn || !prefix || contents.messages.size() > 1;
        at = next;
    }
    return contents;
}

} // namespace ringside::importers::nccl_log
