// SPDX-License-Identifier: Apache-2.0
#include "host/sysfs_text.h"

#include "values/parse_number.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

namespace ringside::host {
namespace {

std::string_view firstLineOf(std::string_view text)
{
    return values::trimmed(text.substr(0, text.find('\n')));
}

/// Parses a number such as "2.5" at the front of a text, in tenths.
std::optional<std::uint64_t> takeTenths(std::string_view& text)
{
    constexpr std::uint64_t kMost = 1'000'000; // Gb/s; larger numbers indicate damage
    const auto whole = values::takeNumber<std::uint64_t>(text);
    if (!whole || *whole > kMost) {
        return std::nullopt;
    }
    constexpr std::uint64_t kTen = 10;
    std::uint64_t tenth = 0;
    if (text.size() > 1 && text[0] == '.' && text[1] >= '0' && text[1] <= '9') {
        tenth = static_cast<std::uint64_t>(text[1] - '0');
        text.remove_prefix(std::min(text.find_first_not_of("0123456789", 1), text.size()));
    }
    return *whole * kTen + tenth;
}

} // namespace

FileText readText(const std::string& path)
{
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) {
        return {{}, errno};
    }
    std::array<char, 256> buffer; // only the written part is read
    const ssize_t got = read(descriptor, buffer.data(), buffer.size());
    const int error = got < 0 ? errno : 0;
    close(descriptor);
    return asText(buffer, got, error);
}

FileText asText(std::span<const char> buffer, ssize_t got, int error)
{
    if (got < 0 || got == static_cast<ssize_t>(buffer.size())) {
        return {{}, got < 0 ? error : EFBIG};
    }
    std::string text(firstLineOf({buffer.data(), static_cast<std::size_t>(got)}));
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return {std::move(text), 0};
}

std::vector<std::string> namesIn(const std::string& folder)
{
    // std::filesystem's iterator ends the process if memory is exhausted
    const std::unique_ptr<DIR, int (*)(DIR*)> opened(opendir(folder.c_str()), &closedir);
    std::vector<std::string> names;
    while (const dirent* entry = opened != nullptr ? readdir(opened.get()) : nullptr) {
        const std::string_view name(entry->d_name);
        if (name != "." && name != "..") {
            names.emplace_back(name);
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::string linkName(const std::string& path)
{
    std::error_code error;
    return std::filesystem::read_symlink(path, error).filename().string();
}

std::optional<std::uint64_t> codeIn(std::string_view text)
{
    return numberIn(text.substr(0, text.find(':')));
}

std::optional<Rate> rateIn(std::string_view text)
{
    constexpr std::uint64_t kMbpsATenth = 100;
    const auto tenths = takeTenths(text);
    if (!tenths || !text.starts_with(" Gb/sec")) {
        return std::nullopt;
    }
    Rate rate{*tenths * kMbpsATenth, std::nullopt, {}};
    const std::size_t open = text.find('(');
    const std::size_t lanes = text.find('X');
    if (open != std::string_view::npos && lanes != std::string_view::npos && lanes > open) {
        rate.lanes = numberIn(text.substr(open + 1, lanes - open - 1));
        std::string_view rest = text.substr(lanes + 1);
        rest = rest.substr(0, rest.find(')'));
        rate.generation = std::string(firstLineOf(rest));
    }
    return rate;
}

std::optional<std::uint64_t> pcieMbps(std::string_view speed, std::string_view width)
{
    const auto tenths = takeTenths(speed);
    const auto lanes = numberIn(width);
    constexpr std::uint64_t kMostLanes = 32;
    if (!tenths || *tenths == 0 || !lanes || *lanes == 0 || *lanes > kMostLanes) {
        return std::nullopt;
    }
    // 8b/10b up to 5 GT/s, 128b/130b from 8 GT/s on.
    constexpr std::uint64_t kOld = 50;
    constexpr std::uint64_t kMbpsATenth = 100;
    const std::uint64_t raw = *tenths * kMbpsATenth * *lanes;
    return *tenths <= kOld ? raw * 8 / 10 : raw * 128 / 130;
}

std::optional<std::uint64_t> roceMtu(std::uint64_t netdevMtu)
{
    constexpr std::uint64_t kHeaders = 96;
    for (const std::uint64_t mtu : {4096U, 2048U, 1024U, 512U, 256U}) {
        if (netdevMtu >= mtu + kHeaders) {
            return mtu;
        }
    }
    return std::nullopt;
}

} // namespace ringside::host
