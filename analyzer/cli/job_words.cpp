// SPDX-License-Identifier: Apache-2.0
#include "cli/job_words.h"

#include "cli/mistaken_words.h"

#include <algorithm>
#include <iterator>

namespace ringside::cli {
namespace {

constexpr std::string_view kOptionsOfTheJob =
    "Options of your command come after it: ringside record -- COMMAND OPTIONS.";

bool isOption(const std::string& word)
{
    return word.size() > 1 && word.front() == '-';
}

/// Returns "--output" for "--output=x" and "-o" for "-ox".
std::string nameOf(const std::string& word)
{
    return word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
}

/// Returns the number of words of the option at `at`, itself included. If a value is missing before `--`, the
/// parser reports it.
std::size_t countWords(const CLI::App& app, const Words& words, std::size_t at)
{
    const std::string name = nameOf(words[at]);
    const CLI::Option* const option = app.get_option_no_throw(name);
    if (option == nullptr) {
        throw unknownOption(app, name, kOptionsOfTheJob);
    }
    const bool holdsValue = words[at].size() > name.size();
    const bool isForgotten = at + 1 < words.size() && words[at + 1] == "--";
    return holdsValue || isForgotten ? 1 : 1 + static_cast<std::size_t>(option->get_items_expected_min());
}

} // namespace

SplitWords splitJobWords(const CLI::App& app, const Words& words)
{
    std::size_t at = 0;
    while (at < words.size() && words[at] != "--" && isOption(words[at])) {
        at += countWords(app, words, at);
    }
    const auto end = words.begin() + static_cast<std::ptrdiff_t>(std::min(at, words.size()));
    const bool isMarked = end != words.end() && *end == "--";
    return {Words(words.begin(), end), Words(isMarked ? std::next(end) : end, words.end())};
}

} // namespace ringside::cli
