// SPDX-License-Identifier: Apache-2.0
#include "settings/versions.h"

#include "values/parse_number.h"

#include <fmt/format.h>

namespace ringside::settings {
namespace {

/// Both libraries changed the factor of the major version from 1,000 to 10,000 when minor versions got two
/// digits.
std::string threeParts(std::int64_t version, std::int64_t major)
{
    return fmt::format("{}.{}.{}", version / major, version % major / 100, version % 100);
}

} // namespace

std::optional<Version> versionIn(std::string_view text)
{
    Version version{};
    for (std::size_t i = 0; i < version.size(); ++i) {
        const auto part = values::takeNumber<std::int64_t>(text);
        if (!part || *part < 0) {
            return i < 2 ? std::nullopt : std::optional(version);
        }
        version.at(i) = *part;
        text.remove_prefix(text.starts_with('.') ? 1 : text.size());
    }
    return version;
}

std::string ncclText(std::int64_t version)
{
    return threeParts(version, version >= 10'000 ? 10'000 : 1'000);
}

std::string cudaText(std::int64_t version)
{
    return fmt::format("{}.{}", version / 1'000, version % 1'000 / 10);
}

std::string cudnnText(std::int64_t version)
{
    return threeParts(version, version >= 90'000 ? 10'000 : 1'000);
}

void addVersion(const std::string& name, std::string_view text,
                std::map<std::string, std::string, std::less<>>& facts)
{
    if (const auto version = versionIn(text)) {
        facts.emplace(name, fmt::format("{}.{:02}", version->at(0), version->at(1)));
        facts.emplace(name + "_text", text);
    }
}

} // namespace ringside::settings
