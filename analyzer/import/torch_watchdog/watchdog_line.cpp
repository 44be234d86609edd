// SPDX-License-Identifier: Apache-2.0
#include "import/torch_watchdog/watchdog_line.h"

#include "values/parse_number.h"

#include <array>
#include <string>

namespace ringside::importers::watchdog {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 60;

/// Returns what follows the first `word`. Null if the text does not contain it.
std::optional<std::string_view> behind(std::string_view text, std::string_view word)
{
    const std::size_t at = text.find(word);
    return at != std::string_view::npos ? std::optional(text.substr(at + word.size())) : std::nullopt;
}

/// Returns the number that follows the first `word`.
std::optional<std::int64_t> numberBehind(std::string_view text, std::string_view word)
{
    auto rest = behind(text, word);
    const auto number = rest ? values::takeNumber<std::int64_t>(*rest) : std::nullopt;
    return number && *number >= -1 && *number < kMost ? number : std::nullopt;
}

std::optional<std::uint64_t> elementsBehind(std::string_view text, std::string_view word)
{
    const auto number = numberBehind(text, word);
    return number && *number >= 0 ? std::optional(static_cast<std::uint64_t>(*number)) : std::nullopt;
}

/// Parses "E1128 10:04:10.204117" behind the first bracket that begins so: month without a leading 0, day.
std::optional<std::int64_t> timeOf(std::string_view line)
{
    constexpr std::array<std::int64_t, 13> kDaysBefore{0,   0,   31,  59,  90,  120, 151,
                                                       181, 212, 243, 273, 304, 334};
    const std::size_t open = std::min(line.find("[E"), line.find("[F"));
    if (open == std::string_view::npos) {
        return std::nullopt;
    }
    std::string_view rest = line.substr(open + 2);
    const auto date = values::takeNumber<std::int64_t>(rest);
    std::array<std::int64_t, 3> clock{};
    for (std::int64_t& part : clock) {
        if (rest.empty()) {
            return std::nullopt;
        }
        rest.remove_prefix(1);
        const auto number = values::takeNumber<std::int64_t>(rest);
        if (!number || *number < 0 || *number > 60) {
            return std::nullopt;
        }
        part = *number;
    }
    if (!date || *date < 101 || *date > 1231 || rest.empty() || rest.front() != '.') {
        return std::nullopt;
    }
    const std::string fraction =
        (std::string(rest.substr(1, rest.find_first_not_of("0123456789", 1) - 1)) + "000000000").substr(0, 9);
    const std::int64_t days = kDaysBefore[static_cast<std::size_t>(*date / 100)] + *date % 100;
    const std::int64_t seconds = ((days * 24 + clock[0]) * 60 + clock[1]) * 60 + clock[2];
    return seconds * 1'000'000'000 + values::parseNumber<std::int64_t>(fraction).value_or(0);
}

/// The rank of the job stands before the line ("[rank3]:"); the message has the same, or that in its group.
std::optional<std::int64_t> rankOf(std::string_view line)
{
    constexpr std::int64_t kLargestRank = 999'999; // a trace's list of ranks has at most a million
    for (const std::string_view word : {"[rank", "[Rank ", " Rank "}) {
        const auto rank = numberBehind(line, word);
        if (rank && *rank >= 0 && *rank <= kLargestRank) {
            return rank;
        }
    }
    return std::nullopt;
}

/// Parses "[PG 1 Rank 0]" and "[PG ID 2 PG GUID 9(tensor) Rank 4]".
void readGroup(std::string_view line, WatchdogLine& result)
{
    auto rest = behind(line, "PG GUID ");
    rest = rest ? rest : behind(line, "[PG ");
    if (!rest) {
        return;
    }
    std::string_view name = rest->substr(0, rest->find(" Rank "));
    const std::size_t open = name.find('(');
    result.group = name.substr(0, open);
    if (open != std::string_view::npos && name.ends_with(')')) {
        result.groupName = name.substr(open + 1, name.size() - open - 2);
    }
}

std::optional<TimedOut> timedOutOf(std::string_view line)
{
    const auto work = behind(line, "Watchdog caught collective operation timeout: WorkNCCL(");
    const auto number = work ? numberBehind(*work, "SeqNum=") : std::nullopt;
    const auto operation = work ? behind(*work, "OpType=") : std::nullopt;
    if (!number || *number < 1 || !operation) {
        return std::nullopt;
    }
    TimedOut result;
    result.number = *number;
    result.operation = operation->substr(0, operation->find_first_of(",)"));
    result.elementsIn = elementsBehind(*work, "NumelIn=");
    result.elementsOut = elementsBehind(*work, "NumelOut=");
    constexpr std::int64_t kLongestMs = std::int64_t{1000} * 3600 * 24 * 366;
    result.ranMs = std::max<std::int64_t>(0, numberBehind(*work, "ran for ").value_or(0));
    return result.ranMs <= kLongestMs ? std::optional(result) : std::nullopt;
}

} // namespace

std::optional<WatchdogLine> readWatchdogLine(std::string_view line)
{
    const auto rank = rankOf(line);
    if (!rank || line.find("ProcessGroupNCCL") == std::string_view::npos) {
        return std::nullopt;
    }
    WatchdogLine result;
    result.rank = *rank;
    result.timeNs = timeOf(line);
    result.timedOut = timedOutOf(line);
    result.at = numberBehind(line, "detected by watchdog at work: ");
    result.at = result.at ? result.at : numberBehind(line, "Timeout at NCCL work: ");
    result.enqueued = numberBehind(line, "ast enqueued NCCL work: ");
    result.completed = numberBehind(line, "ast completed NCCL work: ");
    readGroup(line, result);
    const bool status = result.enqueued && result.completed && !result.group.empty();
    return result.timedOut || status ? std::optional(result) : std::nullopt;
}

} // namespace ringside::importers::watchdog
