// SPDX-License-Identifier: Apache-2.0
#include "values/log_time.h"

#include "values/parse_number.h"
#include "values/pieces.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

namespace ringside::values {
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

/// `zoneS`: seconds east of UTC; null: the zone of this machine.
std::optional<std::int64_t> realtimeOf(const Calendar& at, std::optional<int> zoneS = std::nullopt)
{
    if (!at.isPossible()) {
        return std::nullopt;
    }
    std::tm fields = at.asTm();
    if (zoneS) {
        return (static_cast<std::int64_t>(timegm(&fields)) - *zoneS) * kNsPerS + at.fractionNs;
    }
    const std::time_t seconds = std::mktime(&fields);
    return seconds == -1 ? std::nullopt
                         : std::optional(static_cast<std::int64_t>(seconds) * kNsPerS + at.fractionNs);
}

/// In the last year that does not lie after `writtenNs`.
std::optional<std::int64_t> realtimeBefore(Calendar at, std::int64_t writtenNs)
{
    constexpr std::int64_t kDayNs = 86'400 * kNsPerS;
    const std::time_t written = writtenNs / kNsPerS;
    std::tm fields{};
    localtime_r(&written, &fields);
    at.year = fields.tm_year + 1900;
    const auto ns = realtimeOf(at);
    if (!ns || *ns <= writtenNs + kDayNs) {
        return ns;
    }
    --at.year;
    return realtimeOf(at);
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
    return takeDate(text, ' ', at) ? realtimeOf(at) : std::nullopt;
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
    const auto ns = zone ? realtimeOf(at, zone) : std::nullopt;
    text = ns ? rest : text;
    return ns;
}

/// "Nov 24 19:07:07"
std::optional<std::int64_t> takeSyslog(std::string_view& text, std::int64_t writtenNs)
{
    std::string_view rest = text;
    Calendar at;
    const auto month = monthNamed(takeWord(rest));
    std::string_view dayWord = takeWord(rest);
    const auto day = month ? takeDigits(dayWord, 2) : std::nullopt;
    std::string_view clock = takeWord(rest);
    if (!month || !day || !takeClock(clock, at)) {
        return std::nullopt;
    }
    at.month = *month;
    at.day = *day;
    text = rest;
    return realtimeBefore(at, writtenNs);
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
    return realtimeOf(at);
}

/// "123.456789": seconds since boot, at most 100 years.
std::optional<std::int64_t> bootNsIn(std::string_view text)
{
    constexpr std::uint64_t kMostS = 3'200'000'000;
    std::string_view rest = trimmed(text);
    const auto seconds = takeNumber<std::uint64_t>(rest);
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
    const std::string_view name = trimmed(host);
    if (!message.empty() && !holds(name, " ")) {
        time.host = name;
        time.message = message;
    }
}

/// Messages in a syslog may repeat the time since boot: "kernel: [  123.456789] MESSAGE".
void dropInnerTime(LogTime& time)
{
    std::string_view rest = trimmed(time.message);
    if (rest.starts_with('[') && bootNsIn(between(rest, "[", "]"))) {
        time.message = partedBy(rest, "]").second;
    }
}

std::optional<int> digitsIn(std::string_view text)
{
    const std::size_t size = text.size();
    const auto number = takeDigits(text, size);
    return text.empty() ? number : std::nullopt;
}

/// Reads the day that stands before a clock: "2026-11-28 ", "E1128 ", "Nov 28 ", "Nov  8 ". The year is 0
/// where it is not written there.
bool dayBefore(std::string_view text, Calendar& at)
{
    constexpr std::size_t kIso = 11;
    constexpr std::size_t kNamed = 7;
    constexpr std::size_t kGlog = 5;
    const auto last = [text](std::size_t count) {
        return text.substr(text.size() - std::min(text.size(), count));
    };
    if (const std::string_view iso = last(kIso); iso.size() == kIso && iso[4] == '-' && iso[7] == '-') {
        at.year = digitsIn(iso.substr(0, 4)).value_or(0);
        at.month = digitsIn(iso.substr(5, 2)).value_or(0);
        at.day = digitsIn(iso.substr(8, 2)).value_or(0);
        return at.year != 0;
    }
    if (const auto date = digitsIn(last(kGlog).substr(0, kGlog - 1)); date && text.size() > kGlog) {
        at.month = *date / 100;
        at.day = *date % 100;
        return true;
    }
    const std::string_view named = last(kNamed);
    const auto month = named.size() == kNamed ? monthNamed(named.substr(0, 3)) : std::nullopt;
    at.month = month.value_or(0);
    at.day = month ? digitsIn(trimmed(named.substr(4, 2))).value_or(0) : 0;
    return month.has_value();
}

/// Reads the clock at the front of `text`, whose day is known.
std::optional<Stamp> stampOf(std::string_view text, Calendar at, std::int64_t writtenNs)
{
    constexpr std::size_t kToSeconds = 8;
    std::string_view rest = text;
    if (!takeClock(rest, at) || text.size() < rest.size() + kToSeconds) {
        return std::nullopt;
    }
    Stamp stamp{0, kNsPerS};
    const std::size_t digits = std::max(text.size() - rest.size(), kToSeconds + 1) - kToSeconds - 1;
    for (std::size_t i = 0; i < digits && stamp.resolutionNs > 1; ++i) {
        stamp.resolutionNs /= 10;
    }
    const auto zone = takeZone(rest);
    if (at.year == 0 && rest.starts_with(' ')) { // "Sat Nov 28 10:04:12 2026"
        const std::string_view year = rest.substr(1, 4);
        at.year = year.size() == 4 ? digitsIn(year).value_or(0) : 0;
    }
    const auto ns = at.year != 0 ? realtimeOf(at, zone) : realtimeBefore(at, writtenNs);
    stamp.realtimeNs = ns.value_or(0);
    return ns ? std::optional(stamp) : std::nullopt;
}

} // namespace

std::optional<Stamp> stampIn(std::string_view line, std::int64_t writtenNs)
{
    constexpr std::size_t kNear = 160;
    for (std::size_t at = line.find(':'); at < kNear; at = line.find(':', at + 1)) {
        Calendar day;
        if (at >= 2 && at + 3 < line.size() && line[at + 3] == ':' && digitsIn(line.substr(at - 2, 2)) &&
            dayBefore(line.substr(0, at - 2), day)) {
            if (const auto stamp = stampOf(line.substr(at - 2), day, writtenNs)) {
                return stamp;
            }
        }
    }
    return std::nullopt;
}

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

} // namespace ringside::values
