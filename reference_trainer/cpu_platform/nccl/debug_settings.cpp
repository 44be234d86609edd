// SPDX-License-Identifier: Apache-2.0
#include "debug_settings.h"

#include <strings.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>

namespace ringside::nccl {
namespace {

using Word = std::pair<const char*, unsigned long>;

constexpr std::array<Word, 5> kLevels = {
    {{"VERSION", 1}, {"WARN", 2}, {"INFO", 3}, {"ABORT", 4}, {"TRACE", 5}}};
// Names and bits as in the user guide and ncclDebugLogSubSys.
constexpr std::array<Word, 17> kSubsystems = {{{"INIT", 0x1},
                                               {"COLL", 0x2},
                                               {"P2P", 0x4},
                                               {"SHM", 0x8},
                                               {"NET", 0x10},
                                               {"GRAPH", 0x20},
                                               {"TUNING", 0x40},
                                               {"ENV", 0x80},
                                               {"ALLOC", 0x100},
                                               {"CALL", 0x200},
                                               {"PROXY", 0x400},
                                               {"NVLS", 0x800},
                                               {"BOOTSTRAP", 0x1000},
                                               {"REG", 0x2000},
                                               {"PROFILE", 0x4000},
                                               {"RAS", 0x8000},
                                               {"ALL", kLogAll}}};

template <std::size_t Count>
std::optional<unsigned long> lookUp(const std::array<Word, Count>& words, const std::string& text)
{
    for (const auto& [name, value] : words)
        if (::strcasecmp(name, text.c_str()) == 0)
            return value;
    return std::nullopt;
}

/// Calls `use` for each part of a comma-separated list.
template <class Use>
void forEachWord(std::string_view list, Use&& use)
{
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        use(std::string(list.substr(0, comma)));
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
}

/// Sets the bits of the words of a list, or clears them after "^".
template <class BitsOf>
unsigned long parseMask(std::string_view text, BitsOf&& bitsOf)
{
    const bool inverted = !text.empty() && text.front() == '^';
    unsigned long mask = inverted ? ~0UL : 0UL;
    forEachWord(inverted ? text.substr(1) : text, [&](const std::string& word) {
        const unsigned long bits = bitsOf(word);
        mask = inverted ? mask & ~bits : mask | bits;
    });
    return mask;
}

unsigned long levelBit(const std::string& word)
{
    if (::strcasecmp(word.c_str(), "ALL") == 0)
        return ~0UL;
    const unsigned long level = lookUp(kLevels, word).value_or(0);
    return level == 0 ? 0 : 1UL << level;
}

/// Returns the position of a %1f to %9f in the format.
std::optional<std::size_t> findSubseconds(const std::string& format)
{
    for (std::size_t i = 0; i + 2 < format.size(); ++i) {
        if (format[i] != '%')
            continue;
        if (format[i + 1] >= '1' && format[i + 1] <= '9' && format[i + 2] == 'f')
            return i;
        ++i; // skips the letter of another directive, also of "%%"
    }
    return std::nullopt;
}

/// Underscores stand for spaces, which are hard to give on a command line.
std::string readStampFormat(const char* text)
{
    std::string format = text;
    for (char& letter : format)
        letter = letter == '_' ? ' ' : letter;
    return format;
}

} // namespace

std::string shortHostName()
{
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0)
        return "unknown";
    const std::string full = name.data();
    return full.substr(0, full.find('.'));
}

unsigned long parseSubsystems(std::string_view text)
{
    return parseMask(text, [](const std::string& word) { return lookUp(kSubsystems, word).value_or(0); });
}

std::string expandDebugFile(std::string_view pattern)
{
    std::string name;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] != '%' || i + 1 == pattern.size()) {
            name += pattern[i];
            continue;
        }
        const char letter = pattern[++i];
        if (letter == 'h')
            name += shortHostName();
        else if (letter == 'p')
            name += std::to_string(::getpid());
        else
            name += letter == '%' ? std::string("%") : std::string{'%', letter};
    }
    return name;
}

std::string formatStamp(const std::string& format, const std::timespec& time)
{
    std::string complete = format;
    if (const auto place = findSubseconds(format)) {
        const auto digits = static_cast<std::size_t>(format[*place + 1] - '0');
        std::array<char, 16> nanoseconds{};
        std::snprintf(nanoseconds.data(), nanoseconds.size(), "%09ld", time.tv_nsec);
        complete.replace(*place, 3, std::string(nanoseconds.data(), digits));
    }
    std::tm local{};
    ::localtime_r(&time.tv_sec, &local);
    std::array<char, 256> text{};
    return {text.data(), std::strftime(text.data(), text.size(), complete.c_str(), &local)};
}

DebugSettings readDebugSettings()
{
    DebugSettings settings;
    if (const char* level = std::getenv("NCCL_DEBUG"))
        settings.level = static_cast<LogLevel>(lookUp(kLevels, level).value_or(0));
    if (const char* subsystems = std::getenv("NCCL_DEBUG_SUBSYS"))
        settings.subsystems = parseSubsystems(subsystems);
    if (const char* levels = std::getenv("NCCL_DEBUG_TIMESTAMP_LEVELS"))
        settings.stampedLevels = static_cast<std::uint32_t>(parseMask(levels, levelBit));
    if (const char* format = std::getenv("NCCL_DEBUG_TIMESTAMP_FORMAT"))
        settings.stampFormat = readStampFormat(format);
    if (const char* inform = std::getenv("NCCL_WARN_ENABLE_DEBUG_INFO"))
        settings.informAfterWarning = std::strtoll(inform, nullptr, 0) != 0;
    const char* file = std::getenv("NCCL_DEBUG_FILE");
    if (file != nullptr && settings.level > LogLevel::Version)
        settings.file = expandDebugFile(file);
    return settings;
}

} // namespace ringside::nccl
