// SPDX-License-Identifier: Apache-2.0
#include "port_fixture.h"

#include <toml++/toml.h>

#include <algorithm>
#include <stdexcept>

namespace ringside::test {
namespace {

std::string textOf(const toml::table& table, std::string_view key)
{
    return table[key].value_or(std::string());
}

/// A text is the same at each reading, an array has one for each, and a number is a counter's gain over all.
FixtureFile fileOf(const toml::node& node, const FixtureFile& before)
{
    if (const auto* const texts = node.as_array()) {
        FixtureFile file;
        for (const toml::node& each : *texts) {
            file.push_back(each.value_or(std::string()));
        }
        if (file.size() != kFixtureReadings) {
            throw std::runtime_error("an array needs a text for each reading");
        }
        return file;
    }
    if (const auto gain = node.value_exact<std::int64_t>()) {
        const std::int64_t first = before.empty() ? 0 : std::stoll(before.front());
        FixtureFile file;
        for (std::size_t i = 0; i < kFixtureReadings; ++i) {
            const auto part =
                static_cast<std::int64_t>(i) * *gain / static_cast<std::int64_t>(kFixtureReadings - 1);
            file.push_back(std::to_string(first + part));
        }
        return file;
    }
    return FixtureFile(kFixtureReadings, node.value_or(std::string()));
}

void addFiles(const toml::table* files, std::map<std::string, FixtureFile>& device)
{
    if (files == nullptr) {
        return;
    }
    for (const auto& [path, node] : *files) {
        FixtureFile& file = device[std::string(path.str())];
        file = fileOf(node, file);
    }
}

std::vector<FixtureExpectation> expectationsOf(const toml::table& each)
{
    std::vector<FixtureExpectation> all;
    if (const auto* const expected = each["expect"].as_array()) {
        for (const toml::node& node : *expected) {
            const toml::table& told = *node.as_table();
            all.push_back({textOf(told, "rule"), textOf(told, "severity"), textOf(told, "port"),
                           textOf(told, "cause"), textOf(told, "advice")});
        }
    }
    return all;
}

PortFixture fixtureOf(const toml::table& file, const toml::table& each)
{
    PortFixture fixture{textOf(each, "name"), textOf(file, "vendor"), textOf(file, "layout"), {}, {}, {}, {}};
    fixture.hours = each["hours"].value_or(0.1);
    for (const auto& [name, kind] : *each["devices"].as_table()) {
        std::map<std::string, FixtureFile>& device = fixture.devices[std::string(name.str())];
        addFiles(file["kind"][kind.value_or(std::string())].as_table(), device);
        addFiles(each["all"].as_table(), device);
        addFiles(each["change"][name.str()].as_table(), device);
    }
    if (const auto* const series = each["series"].as_table()) {
        for (const auto& [name, gain] : *series) {
            fixture.series.emplace(name.str(), gain.value_or(std::int64_t{0}));
        }
    }
    fixture.expected = expectationsOf(each);
    return fixture;
}

} // namespace

std::vector<PortFixture> portFixtures(const std::filesystem::path& folder)
{
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        files.push_back(entry.path());
    }
    std::ranges::sort(files);
    std::vector<PortFixture> fixtures;
    for (const std::filesystem::path& path : files) {
        const toml::table file = toml::parse_file(path.string());
        for (const toml::node& each : *file["fixture"].as_array()) {
            fixtures.push_back(fixtureOf(file, *each.as_table()));
        }
    }
    return fixtures;
}

std::vector<ToolFixture> toolFixtures(const std::filesystem::path& path)
{
    std::vector<ToolFixture> fixtures;
    const toml::table file = toml::parse_file(path.string());
    for (const toml::node& node : *file["fixture"].as_array()) {
        const toml::table& each = *node.as_table();
        ToolFixture fixture{
            textOf(each, "tool"), textOf(each, "name"), textOf(each, "layout"), {}, expectationsOf(each)};
        for (const toml::node& name : *each["files"].as_array()) {
            fixture.files.push_back(name.value_or(std::string()));
        }
        fixtures.push_back(std::move(fixture));
    }
    return fixtures;
}

} // namespace ringside::test
