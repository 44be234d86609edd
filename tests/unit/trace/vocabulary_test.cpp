// SPDX-License-Identifier: Apache-2.0
// The lists of words: each id once, and docs/issues-and-series.md is written from them.
#include "trace/vocabulary/collective.h"
#include "trace/vocabulary/issue.h"
#include "trace/vocabulary/series.h"

#include <ringside/trace/ring.h>
#include <ringside/trace/rows.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <type_traits>

namespace ringside::trace {
namespace {

std::string unitText(SeriesUnit unit)
{
    constexpr std::array kTexts{
        "number", "bits", "percent", "hundredths", "bytes", "KiB", "bytes/s",   "Mb/s",
        "ns",     "us",   "ms",      "MHz",        "mW",    "mJ",  "degrees C", "errors of 10^18 bits"};
    return kTexts.at(static_cast<std::size_t>(unit));
}

template <std::size_t kCount>
void addWords(std::ostream& text, const char* title, const char* about,
              const std::array<WordEntry, kCount>& words)
{
    text << "\n## " << title << '\n' << about << "\n\n| word | what it is |\n|---|---|\n";
    for (const WordEntry& word : words) {
        text << "| `" << word.text << "` | " << word.description << " |\n";
    }
}

std::string catalogue()
{
    std::ostringstream text;
    text << "# Issues and series\n\n"
            "Written from the lists in `analyzer/trace/vocabulary/`; `RINGSIDE_UPDATE_GOLDEN=1 ctest -R "
            "Vocabulary` "
            "writes it anew.\n\n"
            "## Issues\n"
            "What went wrong while a run was recorded, read or understood: table `issue` of a trace, "
            "`issues` of a report.\n\n"
            "| id | severity | what it means |\n|---|---|---|\n";
    for (const IssueEntry& entry : kIssues) {
        text << "| `" << entry.id << "` | " << severityName(entry.severity) << " | " << entry.description
             << " |\n";
    }
    addWords(text, "Sources of settings", "Where a setting was read: column `source` of table `setting`.",
             kSettingSources);
    text << "\n## Facts\nWhat is recorded once of processes, machines, GPUs and libraries: table `setting`. "
            "`*` "
            "stands for what the fact is of.\n\n| source | name | what it is |\n|---|---|---|\n";
    for (const FactEntry& entry : kFacts) {
        text << "| " << entry.source << " | `" << entry.name << "` | " << entry.description << " |\n";
    }
    addWords(
        text, "Facts of ports",
        "What is recorded once of RDMA ports and network interfaces: table `setting`, sources `rdma` and "
        "`network`, behind the name of the port.",
        kPortFacts);
    addWords(text, "Tiers",
             "Sources of records: table `tier`. The reason of one that is not active says why.", kTiers);
    addWords(text, "Levels",
             "How much is recorded at a moment: table `window`. Each level records what the one before it "
             "records, and more.",
             kLevels);
    addWords(text, "Sources of stacks", "What a line of a stack is: column `source` of table `stack`.",
             kStackSources);
    addWords(text, "Kinds of series", "What the values of a series are: column `kind` of table `series`.",
             kSeriesKinds);
    text << "\n## Series\nWhat is sampled: tables `series` and `sample` of a trace.\n\n"
            "| source | metric | kind | unit | what it is |\n|---|---|---|---|---|\n";
    for (const SeriesEntry& entry : kSeries) {
        text << "| " << entry.source << " | `" << entry.metric << "` | " << entryOf(entry.kind).text << " | "
             << unitText(entry.unit) << " | " << entry.description << " |\n";
    }
    return text.str();
}

std::string contents(const char* path)
{
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

TEST(Vocabulary, IsTheCatalogueInTheDocuments)
{
    if (std::getenv("RINGSIDE_UPDATE_GOLDEN") != nullptr) {
        std::ofstream(RINGSIDE_TEST_CATALOGUE) << catalogue();
    }
    EXPECT_EQ(contents(RINGSIDE_TEST_CATALOGUE), catalogue())
        << "RINGSIDE_UPDATE_GOLDEN=1 ctest -R Vocabulary writes it anew";
}

TEST(Vocabulary, NoWordStandsTwice)
{
    std::set<std::string_view> issues;
    for (const IssueEntry& entry : kIssues) {
        EXPECT_TRUE(issues.insert(entry.id).second) << entry.id;
        EXPECT_TRUE(entry.description.ends_with(".")) << entry.id;
    }
    std::set<std::pair<std::string_view, std::string_view>> series;
    for (const SeriesEntry& entry : kSeries) {
        EXPECT_TRUE(series.emplace(entry.source, entry.metric).second) << entry.metric;
        EXPECT_TRUE(entry.description.ends_with(".")) << entry.metric;
    }
}

TEST(Vocabulary, NoFactStandsTwice)
{
    std::set<std::pair<std::string_view, std::string_view>> facts;
    for (const FactEntry& entry : kFacts) {
        EXPECT_TRUE(facts.emplace(entry.source, entry.name).second) << entry.name;
        EXPECT_TRUE(entry.description.ends_with(".")) << entry.name;
        const auto* const source = std::ranges::find(kSettingSources, entry.source, &WordEntry::text);
        EXPECT_NE(source, kSettingSources.end()) << entry.source << " is in no list";
    }
    std::set<std::string_view> ofPorts;
    for (const WordEntry& entry : kPortFacts) {
        EXPECT_TRUE(ofPorts.insert(entry.text).second) << entry.text;
        EXPECT_EQ(entry.text.find(' '), std::string_view::npos) << "a blank ends the name of the port";
    }
}

TEST(Vocabulary, AFactIsOfWhatStandsInItsName)
{
    EXPECT_EQ(settingRow({"device", "*_numa_node"}, "1", "gpu0").name, "gpu0_numa_node");
    EXPECT_EQ(settingRow({"machine", "shm_bytes"}, "1").name, "shm_bytes");
    EXPECT_EQ(settingRow("rdma", "mlx5 0:1", "firmware", "1").name, "mlx5 0:1 firmware");
}

TEST(Vocabulary, SeriesFitIntoTheirRecord)
{
    for (const SeriesEntry& entry : kSeries) {
        EXPECT_LE(entry.source.size(), sizeof(SeriesRecord::source)) << entry.source;
        EXPECT_LE(entry.metric.size(), sizeof(SeriesRecord::metric)) << entry.metric;
    }
}

TEST(Vocabulary, AnIssueIsComparedWithAndWithoutASubject)
{
    const IssueRow port(Issue::RdmaPortNotRead, 2, "no answer", "mlx5_0:1");
    EXPECT_EQ(port.id, "rdma_port_not_read mlx5_0:1");
    EXPECT_EQ(port.severity, Severity::Warning);
    EXPECT_TRUE(port.is(Issue::RdmaPortNotRead));
    EXPECT_FALSE(port.is(Issue::RdmaPortsNotSampled));
    EXPECT_TRUE(IssueRow(Issue::GpuLost, 1, "gone").is(Issue::GpuLost));
}

static_assert(collectiveKind("ncclBcast") == CollectiveKind::Broadcast);
static_assert(collectiveKind("pncclAlltoAll") == CollectiveKind::AllToAll);
static_assert(collectiveKind("ncclReduceScatterConfig") == CollectiveKind::ReduceScatter);
static_assert(collectiveKind("Recv") == CollectiveKind::Receive, "as NCCL's profiler interface names it");
static_assert(collectiveKind("ncclCommInitRank") == CollectiveKind::Other);
static_assert(collectiveName(CollectiveKind::Broadcast) == "Broadcast", "not the older name Bcast");
static_assert(collectiveOf("Gather").rooted && !collectiveOf("AllGather").rooted);

// misspelt_word.cpp is the other half: there a literal that is in no list must not compile.
static_assert(!std::is_constructible_v<SettingSource, std::string>,
              "a text of a file is named as one: stored()");
static_assert(!std::is_constructible_v<SettingSource, std::string_view>);

TEST(Vocabulary, AWordOfANewerFileStaysAsItIs)
{
    const SettingRow row{SettingSource::stored("of a newer version"), "name", "value"};
    EXPECT_EQ(row.source.text(), "of a newer version");
    EXPECT_NE(row.source, SettingSource("network"));
    EXPECT_TRUE(SettingSource::stored("network") == "network");
    EXPECT_EQ(SettingSource().text(), "");
}

TEST(Vocabulary, SeveritiesOfOtherFilesBecomeOurs)
{
    EXPECT_EQ(severityOf("info"), Severity::Info);
    EXPECT_EQ(severityOf("problem"), Severity::Problem);
    EXPECT_EQ(severityOf("error"), Severity::Problem) << "of a file from before there was one list";
    EXPECT_EQ(severityOf("fatal"), Severity::Warning) << "no word of ours: not hidden, not alarming";
}

} // namespace
} // namespace ringside::trace
