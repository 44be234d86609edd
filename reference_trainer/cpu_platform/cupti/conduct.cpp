// SPDX-License-Identifier: Apache-2.0
#include "conduct.h"

#include "platform.h"

#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace ringside::cupti {
namespace {

std::optional<std::size_t> wholeNumber(const std::string& text)
{
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

} // namespace

Conduct::Conduct(const std::string& words) : layouts(newestLayouts())
{
    std::istringstream list(words);
    for (std::string word; error.empty() && std::getline(list, word, ',');)
        read(word);
}

void Conduct::read(const std::string& word)
{
    const auto equals = word.find('=');
    const std::string key = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (word == "held") {
        held = true;
    } else if (word == "no_driver") {
        noDriver = true;
    } else if (word == "system_threads") {
        systemThreadIds = true;
    } else if (word == "hangs_after_exit") {
        hangsAfterExit = true;
    } else if (word == "zero_times") {
        zeroTimes = true;
    } else if (key == "cuda" && findLayouts(value) != nullptr) {
        layouts = findLayouts(value);
    } else if (key == "room" && wholeNumber(value).has_value()) {
        deviceRoom = wholeNumber(value);
    } else {
        error = "RINGSIDE_PLATFORM_CUPTI: '" + word +
                "' is none of held, no_driver, system_threads, hangs_after_exit, zero_times, room=N, cuda=" +
                layoutNames();
    }
}

const Conduct& Conduct::get()
{
    static const auto* conduct = [] {
        const char* words = std::getenv("RINGSIDE_PLATFORM_CUPTI");
        const auto* read = new Conduct(words == nullptr ? "" : words);
        if (!read->error.empty())
            std::fprintf(stderr, "ringside cpu platform: %s\n", read->error.c_str());
        return read;
    }();
    return *conduct;
}

CUptiResult Conduct::refusal() const
{
    while (hangsAfterExit && ringside_platform_is_torn_down() != 0)
        pause();
    if (!error.empty() || ringside_platform_is_torn_down() != 0)
        return CUPTI_ERROR_NOT_INITIALIZED;
    return noDriver ? CUPTI_ERROR_UNKNOWN : CUPTI_SUCCESS;
}

} // namespace ringside::cupti
