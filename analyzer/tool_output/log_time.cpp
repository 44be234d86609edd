// SPDX-License-Identifier: Apache-2.0
#include "tool_output/log_time.h"

#include "tool_output/text.h"

#include <array>
#include <cmath>
#include <ctime>

namespace ringside::tool_output {
namespace {

constexpr std::int64_t kNsPerS = 1'000'000'000;

/// The moment in fields of a calendar; negative fields are not possible.
struct Calendar {
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
    std::int64_t fractionNs = 0;
    [[nodiscard]] bool isPossible() const
    {
        return year >= 1970 && year <= 2200 && month >= 1 && month <= 12 && day >= 1 && day <= 31 &&
               hour <= 23 && minute <= 59 && second <= 60;
    }
    [[nodiscard]] std::tm asTm() const
    {
        std::tm fields{};
        fields.tm_year = year - 1900;
        fields.tm_mon = month - 1;
        fields.tm_mday = day;
        fields.tm_hour = hour;
        fields.tm_min = minute;
        fields.tm_sec = second;
        fields.tm_isdst = -1;
        return fields;
    }
};

/// Takes a number of at most `most` digits; null, and nothing taken, if there is none.
std::optional<int> takeDigits(std::string_view& text, std::size_t most)
{
    std::size_t count = 0;
    int number = 0;
    while (count < text.size() && count < most && text[count] >= '0' && text[count] <= '9') {
        constexpr int kTen = 10;
        number = number * kTen + (text[count++] - '0');
    }
    text.remove_prefix(count);
    return count > 0 ? std::optional(number) : std::nullopt;
}

bool takeMark(std::string_view& text, char mark)
{
    if (!text.starts_with(mark)) {
        return false;
    }
    text.remove_prefix(1);
    return true;
}

/// Takes ".123456" or ",123456", in ns; digits beyond the ninth are skipped.
std::int64_t takeFraction(std::string_view& text)
{
    if (!takeMark(text, '.') && !takeMark(text, ',')) {
        return 0;
    }
    std::int64_t place = kNsPerS / 10;
    std::int64_t ns = 0;
    while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
        ns += (text.front() - '0') * place;
        place /= 10;
        text.remove_prefix(1);
    }
    return ns;
}

bool takeClock(std::string_view& text, Calendar& at)
{
    const auto hour = takeDigits(text, 2);
    const auto minute = takeMark(text, ':') ? takeDigits(text, 2) : std::nullopt;
    const auto second = takeMark(text, ':') ? takeDigits(text, 2) : std::nullopt;
    if (!hour || !minute || !second) {
        return false;
    }
    at.hour = *hour;
    at.minute = *minute;
    at.second = *second;
    at.fractionNs = takeFraction(text);
    return true;
}

/// Takes "+01:00", "+0100" or "Z", in seconds east of UTC.
std::optional<int> takeZone(std::string_view& text)
{
    if (takeMark(text, 'Z')) {
        return 0;
    }
    const int sign = takeMark(text, '+') ? 1 : takeMark(text, '-') ? -1 : 0;
    const auto hours = takeDigits(text, 2);
    takeMark(text, ':');
    const auto minutes = takeDigits(text, 2);
    constexpr int kMinuteS = 60;
    return sign != 0 && hours && minutes ? std::optional(sign * (*hours * 60 + *minutes) * kMinuteS)
                                         : std::nullopt;
}

std::optional<int> monthNamed(std::string_view word)
{
    constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    for (std::size_t i = 0; i < kMonths.size(); ++i) {
        if (kMonths[i] == word) {
            return static_cast<int>(i) + 1;
        }
    }
    return std::nullopt;
}

std::optional<std::int64_t> localNs(const Calendar& at)
{
    if (!at.isPossible()) {
        return std::nullopt;
    }
    std::tm fields = at.asTm();
    const std::time_t seconds = std::mktime(&fields);
    return seconds == -1 ? std::nullopt
                         : std::optional(static_cast<std::int64_t>(seconds) * kNsPerS + at.fractionNs);
}

/// Takes "2026-11-24T19:07:07.123456", with `mark` between date and time.
bool takeDate(std::string_view& rest, char mark, Calendar& at)
{
    const auto year = takeDigits(rest, 4);
    const auto month = takeMark(rest, '-') ? takeDigits(rest, 2) : std::nullopt;
    const auto day = takeMark(rest, '-') ? takeDigits(rest, 2) : std::nullopt;
    if (!year || !month || !day || !takeMark(rest, mark) || !takeClock(rest, at)) {
        return false;
    }
    at.year = *year;
    at.month = *month;
    at.day = *day;
    return true;
}

/// "2026-11-24 19:07:07"
std::optional<std::int64_t> dateIn(std::string_view text)
{
    Calendar at;
    return takeDate(text, ' ', at) ? localNs(at) : std::nullopt;
}

/// "2026-11-24T19:07:07.123456+00:00"
std::optional<std::int64_t> takeIso(std::string_view& text)
{
    Calendar at;
    std::string_view rest = text;
    if (!takeDate(rest, 'T', at)) {
        return std::nullopt;
    }
    const auto zone = takeZone(rest);
    if (!zone || !at.isPossible()) {
        return std::nullopt;
    }
    text = rest;
    std::tm fields = at.asTm();
    return (static_cast<std::int64_t>(timegm(&fields)) - *zone) * kNsPerS + at.fractionNs;
}

/// "Nov 24 19:07:07", in the last year that does not lie after `writtenNs`.
std::optional<std::int64_t> takeSyslog(std::string_view& text, std::int64_t writtenNs)
{
    constexpr std::int64_t kDayNs = 86'400 * kNsPerS;
    std::string_view rest = text;
    Calendar at;
    const auto month = monthNamed(takeWord(rest));
    std::string_view dayWord = takeWord(rest);
    const auto day = month ? takeDigits(dayWord, 2) : std::nullopt;
    std::string_view clock = takeWord(rest);
    if (!month || !day || !takeClock(clock, at)) {
        return std::nullopt;
    }
    const std::time_t written = writtenNs / kNsPerS;
    std::tm fields{};
    localtime_r(&written, &fields);
    at.month = *month;
    at.day = *day;
    at.year = fields.tm_year + 1900;
    auto ns = localNs(at);
    if (ns && *ns > writtenNs + kDayNs) {
        --at.year;
        ns = localNs(at);
    }
    text = rest;
    return ns;
}

/// "Tue Nov 24 19:07:07 2026"
std::optional<std::int64_t> ctimeIn(std::string_view text)
{
    Calendar at;
    takeWord(text).size();
    const auto month = monthNamed(takeWord(text));
    std::string_view dayWord = takeWord(text);
    const auto day = takeDigits(dayWord, 2);
    std::string_view clock = takeWord(text);
    const bool good = takeClock(clock, at);
    std::string_view yearWord = takeWord(text);
    const auto year = takeDigits(yearWord, 4);
    if (!month || !day || !good || !year) {
        return std::nullopt;
    }
    at.month = *month;
    at.day = *day;
    at.year = *year;
    return localNs(at);
}

/// "123.456789": seconds since boot, at most 100 years.
std::optional<std::int64_t> bootNsIn(std::string_view text)
{
    constexpr std::uint64_t kMostS = 3'200'000'000;
    std::string_view rest = values::trimmed(text);
    const auto seconds = values::takeNumber<std::uint64_t>(rest);
    if (!seconds || *seconds > kMostS || !rest.starts_with('.')) {
        return std::nullopt;
    }
    return static_cast<std::int64_t>(*seconds) * kNsPerS + takeFraction(rest);
}

/// Parts "HOST kernel: MESSAGE"; a message without it stays whole.
void partHost(LogTime& time)
{
    constexpr std::string_view kKernel = " kernel: ";
    const auto [host, message] = partedBy(time.message, kKernel);
    const std::string_view name = values::trimmed(host);
    if (!message.empty() && !holds(name, " ")) {
        time.host = name;
        time.message = message;
    }
}

/// Messages in a syslog may repeat the time since boot: "kernel: [  123.456789] MESSAGE".
void dropInnerTime(LogTime& time)
{
    std::string_view rest = values::trimmed(time.message);
    if (rest.starts_with('[') && bootNsIn(between(rest, "[", "]"))) {
        time.message = partedBy(rest, "]").second;
    }
}

} // namespace

std::optional<LogTime> logTimeOf(std::string_view line, std::int64_t writtenNs)
{
    LogTime time;
    std::string_view rest = line;
    if (rest.starts_with('<')) {
        rest = partedBy(rest, ">").second; // dmesg --raw
    }
    if (rest.starts_with('[')) {
        const std::string_view stamp = between(rest, "[", "]");
        time.bootNs = bootNsIn(stamp);
        time.realtimeNs = time.bootNs ? std::nullopt : ctimeIn(stamp);
        time.realtimeNs = time.bootNs || time.realtimeNs ? time.realtimeNs : dateIn(stamp);
        rest = partedBy(rest, "]").second;
    } else if ((time.realtimeNs = takeIso(rest))) {
        // taken
    } else {
        time.realtimeNs = takeSyslog(rest, writtenNs);
    }
    if (!time.bootNs && !time.realtimeNs) {
        return std::nullopt;
    }
    time.message = rest;
    partHost(time);
    dropInnerTime(time);
    return time;
}

} // namespace ringside::tool_output
