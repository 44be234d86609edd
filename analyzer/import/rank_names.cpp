// SPDX-License-Identifier: Apache-2.0
#include "import/rank_names.h"

#include "values/parse_number.h"

#include <regex>

namespace ringside::importers {
namespace {

constexpr std::size_t kLongestName = 255; // limit of Linux; bounds the work of the regular expressions

std::optional<std::int64_t> number(const std::string& digits)
{
    return values::parseNumber<std::int64_t>(digits);
}

std::optional<std::int64_t> firstNumber(const std::string& text, const std::regex& pattern)
{
    std::smatch match;
    if (text.size() > kLongestName || !std::regex_search(text, match, pattern)) {
        return std::nullopt;
    }
    return number(match[1]);
}

/// Returns an expression for "rank3", "RANK_3" or "worker-3". The word may follow anything but a letter.
std::regex numberAfter(const std::string& words)
{
    return std::regex("(?:^|[^a-z])(?:" + words + ")[ _.=-]?([0-9]{1,9})(?![0-9])",
                      std::regex::icase | std::regex::optimize);
}

} // namespace

std::optional<std::int64_t> rankOfName(const std::filesystem::path& path)
{
    static const std::regex rankWord = numberAfter("rank");
    static const std::regex anyWord = numberAfter("rank|worker");
    static const std::regex bareNumber("(?:^|[_.-])([0-9]{1,4})(?:\\.[a-z][a-z0-9]*)+$",
                                       std::regex::icase | std::regex::optimize);
    const std::string name = path.filename().string();
    if (const auto rank = firstNumber(name, rankWord)) {
        return rank;
    }
    const bool named = writerOfName(path).has_value(); // "worker-3_4242" is host worker-3
    if (const auto rank = named ? std::nullopt : firstNumber(name, anyWord)) {
        return rank;
    }
    if (const auto rank = named ? std::nullopt : firstNumber(name, bareNumber)) {
        return rank;
    }
    return firstNumber(path.parent_path().filename().string(), anyWord);
}

std::optional<Writer> writerOfName(const std::filesystem::path& path)
{
    static const std::regex pattern("^(.+)_([0-9]{1,10})\\.[0-9]{10,20}\\.pt\\.trace\\.json(?:\\.gz)?$",
                                    std::regex::optimize);
    const std::string name = path.filename().string();
    std::smatch match;
    if (name.size() > kLongestName || !std::regex_match(name, match, pattern) ||
        match[1].str().ends_with("step")) { // in "worker0_step_12" the number is not a process id
        return std::nullopt;
    }
    return Writer{match[1], number(match[2]).value_or(0)};
}

} // namespace ringside::importers
