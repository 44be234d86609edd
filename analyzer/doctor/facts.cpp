// SPDX-License-Identifier: Apache-2.0
#include "doctor/facts.h"

#include "values/parse_number.h"

#include <algorithm>
#include <fstream>

namespace ringside::doctor {
namespace {

constexpr std::size_t kLongestLine = 4096;

} // namespace

void Facts::set(std::string name, std::string value)
{
    m_values[std::move(name)] = std::move(value);
}

const std::string* Facts::find(std::string_view name) const
{
    const auto found = m_values.find(name);
    return found == m_values.end() ? nullptr : &found->second;
}

std::string_view Facts::text(std::string_view name) const
{
    const std::string* value = find(name);
    return value != nullptr ? std::string_view(*value) : std::string_view();
}

std::optional<std::int64_t> Facts::number(std::string_view name) const
{
    return values::parseNumber<std::int64_t>(text(name));
}

std::vector<std::string> Facts::namesAfter(std::string_view prefix) const
{
    std::vector<std::string> names;
    for (auto each = m_values.lower_bound(prefix); each != m_values.end() && each->first.starts_with(prefix);
         ++each) {
        std::string name = each->first.substr(prefix.size());
        name.resize(std::min(name.size(), name.rfind('.')));
        if (names.empty() || names.back() != name) {
            names.push_back(std::move(name));
        }
    }
    return names;
}

std::filesystem::path Root::path(std::string_view absolute) const
{
    return m_folder / std::filesystem::path(absolute).relative_path();
}

std::optional<std::string> Root::line(std::string_view file) const
{
    std::ifstream stream(path(file));
    std::string text(kLongestLine, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
    text = values::trimmed(text.substr(0, text.find('\n')));
    return text.empty() ? std::nullopt : std::optional(text);
}

std::vector<std::string> Root::lines(std::string_view file) const
{
    constexpr std::size_t kMost = 10'000;
    std::ifstream stream(path(file));
    std::vector<std::string> lines;
    for (std::string text; lines.size() < kMost && std::getline(stream, text);) {
        lines.push_back(text.substr(0, kLongestLine));
    }
    return lines;
}

std::vector<std::string> Root::entries(std::string_view folder) const
{
    constexpr std::size_t kMost = 4'096;
    std::error_code error;
    std::vector<std::string> names;
    for (std::filesystem::directory_iterator entry(path(folder), error), end;
         !error && entry != end && names.size() < kMost; entry.increment(error)) {
        names.push_back(entry->path().filename());
    }
    std::ranges::sort(names);
    return names;
}

} // namespace ringside::doctor
