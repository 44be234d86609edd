// SPDX-License-Identifier: Apache-2.0
// What `ringside links` says of healthy and of sick machines of each vendor (--live) and of what other tools
// printed of some (--from), and the table of them in docs/link-fixtures.md.
#include "cli/live_ports.h"
#include "doctor/check.h"
#include "live/complaints.h"
#include "port_fixture.h"
#include "report/link_text.h"
#include "report/links.h"
#include "support/port_tree.h"
#include "support/said.h"
#include "tool_output/make_run.h"
#include "tool_output/parts.h"

#include <ringside/error.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
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
    return finding.rule + " " + std::string(rules::severityName(finding.severity)) + ": " +
           said(finding.title) + "\n  -> " + said(finding.advice) + "\n";
}

bool matches(const rules::Finding& finding, const FixtureExpectation& expected)
{
    const auto names = [&](const std::string& link) { return link.ends_with(" " + expected.port); };
    return finding.rule == expected.rule && rules::severityName(finding.severity) == expected.severity &&
           (expected.port.empty() || std::ranges::any_of(finding.links, names)) &&
           said(finding.title).find(expected.cause) != std::string::npos &&
           said(finding.advice).find(expected.advice) != std::string::npos;
}

/// Every finding that warns is expected, and all that is expected is found.
void expectFindings(const report::Report& report, const std::vector<FixtureExpectation>& expected)
{
    std::string said;
    for (const rules::Finding* finding : report::linkFindings(report)) {
        said += textOf(*finding);
        const bool wanted = std::ranges::any_of(
            expected, [&](const FixtureExpectation& each) { return matches(*finding, each); });
        EXPECT_TRUE(wanted || finding->severity == rules::Severity::Info)
            << "false alarm: " << textOf(*finding);
    }
    for (const FixtureExpectation& each : expected) {
        const auto found = report::linkFindings(report);
        EXPECT_TRUE(std::ranges::any_of(found, [&](const auto* finding) { return matches(*finding, each); }))
            << "missing: " << each.rule << " " << each.severity << " of " << each.port << " with \""
            << each.cause << "\" and \"" << each.advice << "\"; said was\n"
            << said;
    }
}

class PortFixtures : public testing::TestWithParam<PortFixture> {};

TEST_P(PortFixtures, areJudgedAsAClusterTeamWould)
{
    expectFindings(reportOf(GetParam()), GetParam().expected);
}

/// What the collector's snapshot says of the run: the first and the latest value of each series.
live::RunNow snapshotOf(const report::Report& report)
{
    constexpr std::int64_t kNsAMs = 1'000'000;
    constexpr std::int64_t kBeganMs = 1'800'000'000'000;
    live::RunNow now;
    now.hosts.resize(1);
    live::Process& process = now.hosts.front().processes.emplace_back();
    for (const metrics::Port& port : report.metrics.ports) {
        for (const auto& [metric, values] : port.values) {
            if (!values.empty()) {
                process.samples.push_back({"rdma", port.name, std::string(metric.text()), values.back().value,
                                           values.front().value, kBeganMs + values.back().timeNs / kNsAMs,
                                           kBeganMs + values.front().timeNs / kNsAMs});
            }
        }
    }
    return now;
}

/// "rdma_rate_low warning mlx5_1:1" of each finding on a port that warns.
std::set<std::string> warningsOf(const report::Report& report)
{
    std::set<std::string> all;
    for (const rules::Finding* finding : report::linkFindings(report)) {
        for (const std::string& link : finding->links) {
            if (finding->severity > rules::Severity::Info) {
                all.insert(finding->rule + " " + std::string(rules::severityName(finding->severity)) + " " +
                           link.substr(link.find(' ') + 1));
            }
        }
    }
    return all;
}

/// Severities from warning on, by "rule entity".
using Judgement = std::map<std::string, rules::Severity>;

Judgement byTheTable(const metrics::Port& port)
{
    Judgement judgement;
    for (const conditions::Judged& each : conditions::judge(port, conditions::allConditions())) {
        if (each.condition->scope == conditions::Scope::Port && each.severity > rules::Severity::Info) {
            rules::Severity& worst = judgement[std::string(each.condition->rule) + " " + port.name];
            worst = std::max(worst, each.severity);
        }
    }
    return judgement;
}

Judgement byTheReport(const report::Report& report, const metrics::Port& port)
{
    Judgement judgement;
    for (const rules::Finding* finding : report::linkFindings(report)) {
        if (finding->severity > rules::Severity::Info &&
            std::ranges::find(finding->links, port.label()) != finding->links.end()) {
            rules::Severity& worst = judgement[finding->rule + " " + port.name];
            worst = std::max(worst, finding->severity);
        }
    }
    return judgement;
}

/// The table of `links`, its JSON and the table in the window say of each port what the findings say; what
/// the table of conditions says is a finding, and what top says of the same readings is in that table.
void expectOneJudgement(const report::Report& report)
{
    const auto json = nlohmann::json::parse(report::linksJsonText(report)).at("links");
    const document::Table shown = report::portTable(report); // in a terminal and in the window
    constexpr std::size_t kHealth = 8;
    const auto complaints = live::findComplaints(snapshotOf(report));
    for (std::size_t i = 0; i < report.metrics.ports.size(); ++i) {
        const metrics::Port& port = report.metrics.ports[i];
        const Judgement table = byTheTable(port);
        const Judgement said = byTheReport(report, port);
        for (const auto& [rule, severity] : table) {
            EXPECT_TRUE(said.contains(rule) && said.at(rule) >= severity)
                << port.label() << ": only the table warns by " << rule;
        }
        const std::string health = json.at(i).at("health");
        EXPECT_EQ(std::get<std::string>(shown.rows[i][kHealth].value()), health) << port.label();
        const auto worst =
            said.empty()
                ? rules::Severity::Info
                : std::ranges::max_element(said, {}, [](const auto& each) { return each.second; })->second;
        EXPECT_EQ(health == "problem" || health == "warning", worst > rules::Severity::Info) << port.label();
        EXPECT_EQ(health == "problem", worst == rules::Severity::Problem) << port.label();
        for (const live::Complaint& each : complaints) {
            EXPECT_TRUE(each.entity != port.name || !table.empty())
                << port.label() << ": only top says " << each.what;
        }
    }
}

/// What links says of one reading of the tree, and what the doctor says of the same files.
void expectDoctorAgrees(const PortTree& tree)
{
    cli::LivePorts ports(tree.root());
    ports.read(0);
    const std::filesystem::path host = std::filesystem::path(tree.root()) / "host";
    std::filesystem::create_directory(host);
    std::filesystem::create_directory_symlink("..", host / "sys");
    std::set<std::string> said;
    const doctor::Facts facts = doctor::gather(doctor::Root(host)).facts;
    for (const doctor::Advice& each : doctor::examine(facts, {})) {
        for (const auto& port : report::buildReport(ports.run(), {}).metrics.ports) {
            if (each.severity > rules::Severity::Info && each.title.find(port.name) != std::string::npos) {
                said.insert(each.check + " " + std::string(rules::severityName(each.severity)) + " " +
                            port.name);
            }
        }
    }
    EXPECT_EQ(said, warningsOf(report::buildReport(ports.run(), {})));
}

TEST_P(PortFixtures, areJudgedAlikeByReportLinksWindowTopAndDoctor)
{
    expectOneJudgement(reportOf(GetParam()));
    const PortTree tree;
    writeReading(tree, GetParam(), kFixtureReadings - 1);
    expectDoctorAgrees(tree);
}

/// Returns the name as gtest wants it.
std::string testName(std::string name)
{
    std::ranges::replace_if(
        name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(All, PortFixtures, testing::ValuesIn(fixtures()), [](const auto& fixture) {
    return testName(fixture.param.vendor + "_" + fixture.param.name);
});

std::vector<ToolFixture> filesOfTools()
{
    return toolFixtures(std::string(RINGSIDE_TOOL_OUTPUT_FILES) + ".toml");
}

tool_output::File fileOf(const std::string& argument, std::int64_t modifiedNs)
{
    const std::size_t mark = argument.find('=');
    const std::filesystem::path name = argument.substr(mark == std::string::npos ? 0 : mark + 1);
    std::ifstream stream(std::filesystem::path(RINGSIDE_TOOL_OUTPUT_FILES) / name);
    return {name, std::string{std::istreambuf_iterator<char>(stream), {}}, modifiedNs, "",
            mark == std::string::npos ? name.stem().string() : argument.substr(0, mark)};
}

std::vector<tool_output::File> filesOf(const ToolFixture& fixture)
{
    constexpr std::int64_t kStart = 1'795'514'400'000'000'000; // 2026-11-24 10:00 UTC
    constexpr std::int64_t kHourNs = 3'600'000'000'000;
    std::vector<tool_output::File> files;
    for (const std::string& argument : fixture.files) {
        files.push_back(fileOf(argument, kStart + static_cast<std::int64_t>(files.size()) * kHourNs));
    }
    return files;
}

class ToolFixtures : public testing::TestWithParam<ToolFixture> {};

TEST_P(ToolFixtures, areJudgedAsAClusterTeamWould)
{
    trace::RunTrace run;
    tool_output::addFiles(run, filesOf(GetParam()));
    const report::Report report = report::buildReport(std::move(run), {});
    expectFindings(report, GetParam().expected);
    expectOneJudgement(report);
}

INSTANTIATE_TEST_SUITE_P(All, ToolFixtures, testing::ValuesIn(filesOfTools()), [](const auto& fixture) {
    return testName(fixture.param.tool + "_" + fixture.param.name);
});

TEST(ToolOutput, isRecognizedByOneReaderEach)
{
    for (const auto& entry : std::filesystem::directory_iterator(RINGSIDE_TOOL_OUTPUT_FILES)) {
        const tool_output::File file = fileOf(entry.path().filename(), 0);
        for (const tool_output::File& part : tool_output::partsOf(file).files) {
            const auto readers = std::ranges::count_if(
                tool_output::all(), [&](const auto* reader) { return reader->recognizes(part.text); });
            EXPECT_EQ(readers, 1) << file.path;
        }
    }
}

std::vector<std::string> portsIn(const std::vector<tool_output::File>& files)
{
    trace::RunTrace run;
    tool_output::addFiles(run, files);
    std::vector<std::string> ports;
    for (const metrics::Port& port : report::buildReport(std::move(run), {}).metrics.ports) {
        ports.push_back(port.label());
    }
    return ports;
}

TEST(ToolOutput, hasOnePortForThePortOfTwoTools)
{
    EXPECT_EQ(portsIn({fileOf("healthy_ibstat.txt", 1), fileOf("healthy_iblinkinfo.txt", 2)}),
              (std::vector<std::string>{"gpu7 mlx5_0:1 to leaf01 port 7", "gpu9 mlx5_0:1 to leaf01 port 21",
                                        "host mlx5_1:1", "leaf01 port 7 to gpu7 mlx5_0 port 1",
                                        "stor1 mlx5_0:1 to leaf01 port 20"}));
}

TEST(ToolOutput, takesNoLidForAPort)
{
    EXPECT_EQ(portsIn({fileOf("subnet_a_ibstat.txt", 1), fileOf("subnet_b_ibstat.txt", 2)}),
              (std::vector<std::string>{"subnet_a_ibstat mlx5_0:1", "subnet_a_ibstat mlx5_1:1",
                                        "subnet_b_ibstat mlx5_0:1", "subnet_b_ibstat mlx5_1:1"}));
    EXPECT_EQ(portsIn({fileOf("subnet_a_ibstat.txt", 1), fileOf("subnet_a_ibstat.txt", 2)}),
              (std::vector<std::string>{"host mlx5_0:1", "host mlx5_1:1"}))
        << "two dumps of one port are a series";
}

/// A host's journal holds the kernel's lines and those that its jobs print.
TEST(ToolOutput, aJournalIsReadForTheKernelAndForNccl)
{
    tool_output::File journal = fileOf("kernel_log_journal.txt", 1);
    journal.text += fileOf("nccl_log.txt", 1).text;
    trace::RunTrace run;
    tool_output::addFiles(run, {journal});
    const report::Report report = report::buildReport(std::move(run), {});
    for (const char* const rule : {"kernel_events", "network_events"}) {
        EXPECT_TRUE(std::ranges::count(report.findings, rule, &rules::Finding::rule)) << rule;
    }
}

/// A run of one host between two moments of the kernel's log.
trace::RunTrace runOfGpu7(std::int64_t realtimeNs, std::int64_t lastsNs)
{
    constexpr std::int64_t kMonotonicNs = 5'000'000'000;
    trace::RunTrace run;
    trace::ProcessTrace& process = run.processes.emplace_back();
    process.process.host = "gpu7";
    process.process.bootId = "boot";
    process.process.startNs = kMonotonicNs;
    process.process.endNs = kMonotonicNs + lastsNs;
    process.ranks.push_back({});
    process.clockSamples.push_back({kMonotonicNs, realtimeNs, {}, {}});
    return run;
}

TEST(ToolOutput, putsTheKernelsMessagesOnTheRunsClock)
{
    constexpr std::int64_t kStart = 1'795'514'401'500'000'000; // 10:00:01.5: after the link went down
    constexpr std::int64_t kNsPerS = 1'000'000'000;
    trace::RunTrace run = runOfGpu7(kStart, 2 * kNsPerS);
    tool_output::addFiles(run, {fileOf("kernel_log_journal.txt", kStart)});
    const report::Report report = report::buildReport(std::move(run), {});
    std::string found;
    for (const rules::Finding* finding : report::linkFindings(report)) {
        found += said(finding->title) + "\n";
    }
    EXPECT_NE(found.find("1.5 s into the run"), std::string::npos) << found; // 10:00:03, the hot module
    EXPECT_EQ(found.find("Xid 79"), std::string::npos) << "after the run: " << found;
    EXPECT_EQ(found.find("lost its link"), std::string::npos) << "before the run: " << found;
}

TEST(ToolOutput, isRefusedIfItsHostIsNotKnown)
{
    trace::RunTrace run = runOfGpu7(0, 1);
    run.processes.push_back(run.processes.front());
    run.processes.back().process.host = "gpu8";
    EXPECT_THROW(tool_output::addFiles(run, {fileOf("kernel_log_dmesg.txt", 0)}), Error);
}

std::string toolTableOf(const std::vector<ToolFixture>& all)
{
    std::string text =
        "\n## Files of other tools\n\n"
        "`ringside links --from` reads these files of `tests/unit/analyzer/tool_output/`, which "
        "are the test's own, after\nthe tools' sources. Several files of a row are an hour "
        "apart.\n\n"
        "| tool | what | files | expected | port | rule | cause, in the finding's title | "
        "advice names |\n|---|---|---|---|---|---|---|---|\n";
    std::string layouts;
    for (const ToolFixture& fixture : all) {
        std::string start = "| " + fixture.tool + " | " + fixture.name + " | ";
        for (const std::string& file : fixture.files) {
            start += file + " ";
        }
        start += "| ";
        text += fixture.expected.empty() ? start + "healthy | | | | |\n" : "";
        for (const FixtureExpectation& each : fixture.expected) {
            text += start + each.severity + " | " + each.port + " | " + each.rule + " | " + each.cause +
                    " | " + each.advice + " |\n";
        }
        layouts += fixture.layout.empty() ? "" : "| " + fixture.tool + " | " + fixture.layout + " |\n";
    }
    return text + "\n| tool | source of the layout |\n|---|---|\n" + layouts;
}

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
    return text + toolTableOf(filesOfTools());
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
