// SPDX-License-Identifier: Apache-2.0
#include "import/kineto/launches.h"

#include "values/parse_number.h"

#include <algorithm>
#include <array>
#include <optional>

namespace ringside::importers::kineto {
namespace {

using Value = std::optional<std::int64_t>;

/// Parses "[46800, 1, 1]". Nothing is known if it is anything but three whole numbers.
std::array<Value, 3> threeNumbers(std::string_view text)
{
    std::array<Value, 3> numbers;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        text = values::trimmed(text);
        if (text.empty() || text.front() != (i == 0 ? '[' : ',')) {
            return {};
        }
        text = values::trimmed(text.substr(1));
        numbers[i] = values::takeNumber<std::int64_t>(text);
        if (!numbers[i]) {
            return {};
        }
    }
    return values::trimmed(text) == "]" ? numbers : std::array<Value, 3>();
}

trace::LaunchConfigurationRow parsed(trace::StringId name, const LaunchTexts& texts)
{
    trace::LaunchConfigurationRow row;
    row.name = name;
    const auto grid = threeNumbers(texts.grid);
    row.gridX = grid[0];
    row.gridY = grid[1];
    row.gridZ = grid[2];
    const auto block = threeNumbers(texts.block);
    row.blockX = block[0];
    row.blockY = block[1];
    row.blockZ = block[2];
    row.registersPerThread = values::parseNumber<std::int64_t>(texts.registers);
    row.sharedBytes = values::parseNumber<std::int64_t>(texts.sharedBytes);
    row.estimatedOccupancyPercent = values::parseNumber<std::int64_t>(texts.occupancyPercent);
    return trace::withoutImpossible(row);
}

std::array<std::string_view, 5> all(const LaunchTexts& texts)
{
    return {texts.grid, texts.block, texts.registers, texts.sharedBytes, texts.occupancyPercent};
}

/// Whether `joined` is what join() made of these texts.
bool isJoined(std::string_view joined, const LaunchTexts& texts)
{
    for (const std::string_view text : all(texts)) {
        if (joined.size() <= text.size() || joined[text.size()] != '\0' || !joined.starts_with(text)) {
            return false;
        }
        joined.remove_prefix(text.size() + 1);
    }
    return joined.empty();
}

void join(const LaunchTexts& texts, std::string& to)
{
    to.clear();
    for (const std::string_view text : all(texts)) {
        to += text;
        to += '\0';
    }
}

} // namespace

std::uint32_t LaunchTable::idOf(trace::StringId name, const LaunchTexts& texts)
{
    constexpr std::size_t kLongest = 256; // of texts that a profiler writes; longer ones are not kept
    if (name >= m_last.size()) {
        m_last.resize(std::max<std::size_t>(name + std::size_t{1}, 2 * m_last.size()));
    }
    Last& last = m_last[name];
    if (isJoined(last.texts, texts)) {
        return last.id;
    }
    const std::uint32_t id = add(parsed(name, texts));
    const auto parts = all(texts);
    if (std::ranges::all_of(parts, [](std::string_view text) { return text.size() < kLongest; })) {
        join(texts, last.texts);
        last.id = id;
    }
    return id;
}

std::uint32_t LaunchTable::add(trace::LaunchConfigurationRow row)
{
    const auto found = m_ids.idOf(row);
    if (found.isFresh) {
        row.id = found.id;
        m_rows.push_back(row);
    }
    return found.id;
}

std::vector<std::uint32_t> LaunchTable::append(const LaunchTable& other,
                                               const std::vector<trace::StringId>& names)
{
    std::vector<std::uint32_t> ids(other.m_rows.size() + 1);
    for (trace::LaunchConfigurationRow row : other.m_rows) {
        const auto old = static_cast<std::size_t>(row.id);
        row.name = names[row.name];
        ids[old] = add(row);
    }
    return ids;
}

} // namespace ringside::importers::kineto
