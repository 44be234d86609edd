// SPDX-License-Identifier: Apache-2.0
#include "import/nccl_log/log_line.h"

#include "import/decimal.h"
#include "values/parse_number.h"

#include <algorithm>

namespace ringside::importers::nccl_log {
namespace {

constexpr std::int64_t kLargestId = std::int64_t{1} << 31;

/// Takes the last part of `text` behind `separator`; null: there is no separator.
std::optional<std::string_view> takeLast(std::string_view& text, char separator)
{
    const std::size_t at = text.rfind(separator);
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view part = text.substr(at + 1);
    text = text.substr(0, at);
    return part;
}

std::optional<std::int64_t> takeId(std::string_view& text, char separator)
{
    const auto part = takeLast(text, separator);
    const auto number = part ? values::parseNumber<std::int64_t>(*part) : std::nullopt;
    return number && *number >= 0 && *number <= kLargestId ? number : std::nullopt;
}

std::string_view withoutSpaces(std::string_view text)
{
    const std::size_t end = text.find_last_not_of(' ');
    return text.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

/// "...HOST:PID:TID [DEVICE] FILE:LINE " before NCCL's level; the file is there only for warnings.
struct Prefix {
    Message message;
    std::size_t begin = 0; ///< of the host, in the line
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
    std::string_view who = withoutSpaces(before.substr(0, open));
    const auto tid = takeId(who, ':');
    const auto pid = tid ? takeId(who, ':') : std::nullopt;
    if (!device || *device < 0 || *device > kLargestId || !pid) {
        return std::nullopt;
    }
    prefix.begin = who.find_last_of(" \t]|>:") + 1; // npos + 1 is 0
    prefix.message.host = who.substr(prefix.begin);
    prefix.message.pid = *pid;
    prefix.message.tid = *tid;
    prefix.message.device = *device;
    constexpr std::size_t kLongestHost = 255;
    const bool isHost = !prefix.message.host.empty() && prefix.message.host.size() <= kLongestHost;
    return isHost ? std::optional(prefix) : std::nullopt;
}

/// The next "NCCL INFO " or "NCCL WARN ".
std::size_t findLevel(std::string_view line, std::size_t from)
{
    return std::min(line.find("NCCL INFO ", from), line.find("NCCL WARN ", from));
}

} // namespace

LineContents readLine(std::string_view line)
{
    constexpr std::string_view kLevel = "NCCL INFO ";
    LineContents contents;
    std::size_t from = 0;
    for (std::size_t at = findLevel(line, 0); at != std::string_view::npos;) {
        auto prefix = prefixOf(line.substr(from, at - from));
        const std::size_t text = at + kLevel.size();
        const std::size_t next = findLevel(line, text);
        if (prefix) {
            if (!contents.messages.empty()) { // the text before ends where this one begins
                Message& before = contents.messages.back();
                before.text = line.substr(from, prefix->begin);
            }
            prefix->message.warning = line.substr(at, kLevel.size()) != kLevel;
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
