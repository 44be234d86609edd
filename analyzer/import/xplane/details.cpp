// SPDX-License-Identifier: Apache-2.0
#include "import/xplane/details.h"

#include "values/parse_number.h"

namespace ringside::importers::xplane {
namespace {

/// Returns what follows after `key` up to the next space; empty if the text does not contain the key.
std::string_view partAfter(std::string_view text, std::string_view key)
{
    for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
        if (at == 0 || text[at - 1] == ' ') {
            const std::string_view part = text.substr(at + key.size());
            return part.substr(0, part.find(' '));
        }
    }
    return {};
}

std::string listOf(std::string_view numbers)
{
    return numbers.empty() ? std::string() : "[" + std::string(numbers) + "]";
}

/// Returns the sum of static and dynamic shared memory, or AMD's local memory of a group.
std::string sharedMemory(std::string_view text)
{
    constexpr std::int64_t kMost = std::int64_t{1} << 40U; // the sum of two fits
    const auto fixed = values::parseNumber<std::int64_t>(partAfter(text, "static_shared:"));
    const auto dynamic = values::parseNumber<std::int64_t>(partAfter(text, "dynamic_shared:"));
    if (fixed && dynamic && *fixed >= 0 && *dynamic >= 0 && *fixed <= kMost && *dynamic <= kMost) {
        return std::to_string(*fixed + *dynamic);
    }
    return std::string(partAfter(text, "group_mem:"));
}

} // namespace

LaunchDetails launchDetails(std::string_view text)
{
    const std::string_view occupancy = partAfter(text, "occ_pct:");
    return {listOf(partAfter(text, "grid:")), listOf(partAfter(text, "block:")),
            std::string(partAfter(text, "regs:")), sharedMemory(text),
            std::string(occupancy == "0" ? std::string_view() : occupancy)};
}

std::optional<std::uint64_t> bytesIn(std::string_view text)
{
    const auto size = values::parseNumber<std::uint64_t>(partAfter(text, "size:"));
    return size ? size : values::parseNumber<std::uint64_t>(partAfter(text, "num_bytes:"));
}

std::string threadName(std::string_view line)
{
    const std::size_t slash = line.rfind('/');
    const bool numbered =
        slash != std::string_view::npos && values::parseNumber<std::int64_t>(line.substr(slash + 1));
    const std::string_view name = numbered ? line.substr(0, slash) : line;
    return std::string(name == "Host Threads" ? std::string_view() : name);
}

} // namespace ringside::importers::xplane
