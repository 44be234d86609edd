// SPDX-License-Identifier: Apache-2.0
// What `ringside links --live` says of healthy and of sick machines of each vendor, and the table of them in
// docs/link-fixtures.md.
#include "cli/live_ports.h"
#include "port_fixture.h"
#include "report/links.h"
#include "support/port_tree.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

namespace ringside::test {
namespace {

std::vector<PortFixture> fixtures()
{
    return portFixtures(RINGSIDE_PORT_FIXTURES);
}

void writeReading(const PortTree& tree, const PortFixture& fixture, std::size_t reading)
{
    for (const auto& [device, files] : fixture.devices) {
        for (const auto& [path, texts] : files) {
            PortTree::put(tree.device(device) / path, texts[reading]);
        }
    }
}

/// Adds a series that another source than sysfs would have sampled.
void addSeries(const PortFixture& fixture, std::int64_t lastNs, trace::ProcessTrace& process)
{
    for (const auto& [name, gain] : fixture.series) {
        std::istringstream words(name);
        std::string source;
        std::string entity;
        std::string metric;
        words >> source >> entity >> metric;
        const auto id = static_cast<std::int64_t>(process.series.size()) + 1;
        process.series.push_back(trace::seriesRow(trace::findSeries(source, metric)->name, id, entity));
        for (const auto& [timeNs, value] :
             {std::pair(std::int64_t{0}, std::int64_t{0}), std::pair(lastNs, gain)}) {
            process.samples.timeNs.push_back(timeNs);
            process.samples.series.push_back(static_cast<std::uint32_t>(id));
            process.samples.value.push_back(value);
        }
    }
}

report::Report reportOf(const PortFixture& fixture)
{
    constexpr double kNsAnHour = 3.6e12;
    const PortTree tree;
    std::optional<cli::LivePorts> ports;
    std::int64_t nowNs = 0;
    for (std::size_t reading = 0; reading < kFixtureReadings; ++reading) {
        writeReading(tree, fixture, reading);
        if (!ports) {
            ports.emplace(tree.root());
        }
        nowNs = static_cast<std::int64_t>(fixture.hours * kNsAnHour * static_cast<double>(reading) /
                                          static_cast<double>(kFixtureReadings - 1));
        ports->read(nowNs);
    }
    trace::RunTrace run = ports->run();
    addSeries(fixture, nowNs, run.processes.front());
    return report::buildReport(std::move(run), {});
}

std::string textOf(const rules::Finding& finding)
{
    return finding.rule + " " + std::string(rules::severityName(finding.severity)) + ": " + finding.title +
           "\n  -> " + finding.advice + "\n";
}

bool matches(const rules::Finding& finding, const FixtureExpectation& expected)
{
    const auto names = [&](const std::string& link) { return link.ends_with(" " + expected.port); };
    return finding.rule == expected.rule && rules::severityName(finding.severity) == expected.severity &&
           (expected.port.empty() || std::ranges::any_of(finding.links, names)) &&
           finding.title.find(expected.cause) != std::string::npos &&
           finding.advice.find(expected.advice) != std::string::npos;
}

class PortFixtures : public testing::TestWithParam<PortFixture> {};

TEST_P(PortFixtures, areJudgedAsAClusterTeamWould)
{
    const PortFixture& fixture = GetParam();
    const report::Report report = reportOf(fixture);
    std::string said;
    for (const rules::Finding* finding : report::linkFindings(report)) {
        said += textOf(*finding);
        const bool wanted = std::ranges::any_of(
            fixture.expected, [&](const FixtureExpectation& each) { return matches(*finding, each); });
        EXPECT_TRUE(wanted || finding->severity == rules::Severity::Info)
            << "false alarm: " << textOf(*finding);
    }
    for (const FixtureExpectation& each : fixture.expected) {
        const auto found = report::linkFindings(report);
        EXPECT_TRUE(std::ranges::any_of(found, [&](const auto* finding) { return matches(*finding, each); }))
            << "missing: " << each.rule << " " << each.severity << " of " << each.port << " with \""
            << each.cause << "\" and \"" << each.advice << "\"; said was\n"
            << said;
    }
}

INSTANTIATE_TEST_SUITE_P(All, PortFixtures, testing::ValuesIn(fixtures()), [](const auto& fixture) {
    std::string name = fixture.param.vendor + "_" + fixture.param.name;
    std::ranges::replace_if(
        name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
    return name;
});

std::string tableOf(const std::vector<PortFixture>& all)
{
    std::string text =
        "# Machines on which link health is tested\n\n"
        "Each row is a machine whose sysfs `tests/unit/analyzer/port_fixtures/*.toml` describes at four "
        "readings. The files\nhave the names and texts that the kernel's drivers give them; the values are "
        "the test's own. Healthy\nmachines must give no warning. This table is written by "
        "`RINGSIDE_UPDATE_GOLDEN=1 ctest --preset dev -R FixtureTable`.\n\n"
        "| vendor | machine | hours | expected | port | rule | cause, in the finding's title | advice names "
        "|\n"
        "|---|---|---|---|---|---|---|---|\n";
    for (const PortFixture& fixture : all) {
        std::ostringstream hours;
        hours << fixture.hours;
        const std::string start = "| " + fixture.vendor + " | " + fixture.name + " | " + hours.str() + " | ";
        if (fixture.healthy()) {
            text += start + "healthy | | | | |\n";
        }
        for (const FixtureExpectation& each : fixture.expected) {
            text += start + each.severity + " | " + each.port + " | " + each.rule + " | " + each.cause +
                    " | " + each.advice + " |\n";
        }
    }
    std::map<std::string, std::string> layouts;
    for (const PortFixture& fixture : all) {
        layouts.emplace(fixture.vendor, fixture.layout);
    }
    text += "\n## Where the layouts are from\n\n| vendor | source |\n|---|---|\n";
    for (const auto& [vendor, layout] : layouts) {
        text += "| " + vendor + " | " + layout + " |\n";
    }
    return text;
}

TEST(FixtureTable, isWhatTheDocumentSays)
{
    const std::filesystem::path path = RINGSIDE_FIXTURE_TABLE;
    const std::string table = tableOf(fixtures());
    if (std::getenv("RINGSIDE_UPDATE_GOLDEN") != nullptr) {
        std::ofstream(path) << table;
    }
    std::ifstream file(path);
    const std::string said{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(said, table) << "RINGSIDE_UPDATE_GOLDEN=1 writes it anew";
}

} // namespace
} // namespace ringside::test
