// SPDX-License-Identifier: Apache-2.0
#include "support/temporary_directory.h"
#include "support/trace_builder.h"
#include "trace/write/database.h"

#include <ringside/error.h>

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <random>
#include <set>

namespace ringside::test {
namespace {

using namespace ringside::trace;

class HostileFile : public testing::Test {
protected:
    HostileFile()
    {
        TraceBuilder builder(1);
        builder.steps(200, [](StepBuilder& step) {
            step.everyRank().compute(3ms, {.launches = 20});
            step.allReduce(4_MiB);
        });
        builder.write(m_directory.path());
        m_file = m_directory / "host0-4000.db";
    }

    void change(const std::string& sql) { Database(m_file, SQLITE_OPEN_READWRITE).execute(sql); }
    void write(const std::string& bytes) { std::ofstream(m_file, std::ios::binary) << bytes; }
    [[nodiscard]] std::string bytes() const { return contentOf(m_file); }

    [[nodiscard]] Error failure() const
    {
        try {
            static_cast<void>(readProcess(m_file));
        } catch (const Error& error) {
            return error;
        }
        return {ErrorCode::Usage, "it was read"};
    }
    [[nodiscard]] std::set<std::string> issues() const
    {
        std::set<std::string> ids;
        for (const IssueRow& issue : readProcess(m_file).issues) {
            ids.insert(issue.id);
        }
        return ids;
    }

    TemporaryDirectory m_directory;
    std::filesystem::path m_file;
};

TEST_F(HostileFile, OfANewerSchemaIsRejectedAsSuch)
{
    change("PRAGMA user_version = " + std::to_string(kSchemaVersion + 1));
    EXPECT_EQ(failure().code, ErrorCode::Newer);
    EXPECT_NE(std::string(failure().what())
                  .find("has trace schema version 7, and this program knows versions up to 6"),
              std::string::npos);
}

TEST_F(HostileFile, OfAnotherProgramIsRefused)
{
    change("PRAGMA application_id = 7");
    EXPECT_EQ(failure().code, ErrorCode::Unusable);
}

TEST_F(HostileFile, ThatIsEmptyOrZerosOrTextIsRefusedByName)
{
    write("");
    EXPECT_EQ(failure().code, ErrorCode::Unusable);
    write(std::string(100000, '\0'));
    EXPECT_EQ(failure().code, ErrorCode::Unusable);
    EXPECT_NE(std::string(failure().what()).find("zeros"), std::string::npos);
    write("{\"traceEvents\": []}");
    EXPECT_EQ(failure().code, ErrorCode::Unusable);
    std::filesystem::remove(m_file);
    EXPECT_EQ(failure().code, ErrorCode::Io);
}

TEST_F(HostileFile, CutAnywhereGivesAnErrorOrIssues)
{
    const std::string whole = bytes();
    for (std::size_t size = 0; size < whole.size(); size += 3001) {
        write(whole.substr(0, size));
        if (failure().code == ErrorCode::Usage) {
            EXPECT_TRUE(issues().contains("truncated_file")) << size;
        }
    }
}

TEST_F(HostileFile, WithFlippedBitsNeverCrashes)
{
    const std::string whole = bytes();
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        std::string damaged = whole;
        for (int flips = 0; flips < 1 + round % 20; ++flips) {
            char& byte = damaged[random() % damaged.size()];
            byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1U << random() % 8));
        }
        write(damaged);
        static_cast<void>(failure());
    }
}

TEST_F(HostileFile, WithZeroedPagesNeverCrashes)
{
    constexpr std::size_t kPage = 16384;
    const std::string whole = bytes();
    for (std::size_t page = 0; page < whole.size(); page += kPage) {
        std::string damaged = whole;
        damaged.replace(page, kPage, kPage, '\0');
        write(damaged);
        static_cast<void>(failure());
    }
}

TEST_F(HostileFile, LosesOnlyTheDamagedChunk)
{
    const std::size_t before = readProcess(m_file).kernels.size();
    change("INSERT INTO kernel_chunk SELECT id + 1, process_id, count, first_ns, last_ns, start_ns, x'00', "
           "name_id, device,"
           " stream, correlation, graph_id, graph_node_id, configuration_id FROM kernel_chunk");
    EXPECT_TRUE(issues().contains("damaged_chunk"));
    EXPECT_EQ(readProcess(m_file).kernels.size(), before);
}

TEST_F(HostileFile, CannotClaimImpossibleCounts)
{
    for (const char* const count : {"-1", "0", "65537", "9223372036854775807"}) {
        change(std::string("UPDATE kernel_chunk SET count = ") + count);
        EXPECT_TRUE(issues().contains("damaged_chunk")) << count;
        EXPECT_EQ(readProcess(m_file).kernels.size(), 0U);
    }
}

TEST_F(HostileFile, CannotAskForUnboundedMemoryWithConstantColumns)
{
    // 24-byte blobs that stand for 64 Ki equal values each.
    change("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)"
           " INSERT INTO call_correlation_chunk (process_id, count, correlation, call_id)"
           " SELECT 1, 65536, x'010000000000010000000000000000000000000000000000',"
           " x'010000000000010000000000000000000000000000000000' FROM n");
    EXPECT_TRUE(issues().contains("too_many_rows"));
    EXPECT_GT(readProcess(m_file).callCorrelations.size(), 65536U);
}

TEST_F(HostileFile, CannotClaimTimesThatNoClockShows)
{
    const std::size_t collectives = readProcess(m_file).collectiveCalls.size();
    change("UPDATE collective_call SET end_ns = 9223372036854775807 WHERE id % 2 = 0");
    EXPECT_TRUE(issues().contains("implausible_time"));
    EXPECT_LT(readProcess(m_file).collectiveCalls.size(), collectives);
    // Header of a column: encoding Values, width 0, 65,536 times the base 2^62.
    const std::string late = "x'010000000000010000000000000000000000000000000040'";
    change(
        "INSERT INTO launch_chunk (process_id, count, start_ns, end_ns, api_id, tid, correlation) SELECT 1, "
        "65536, " +
        late + ", " + late +
        ", z, z, z FROM (SELECT "
        "x'010000000000010000000000000000000000000000000000' AS z)");
    EXPECT_TRUE(issues().contains("damaged_chunk"));
    EXPECT_LT(readProcess(m_file).launches.size(), 65536U);
}

TEST_F(HostileFile, IsNotRunAsAProgram)
{
    change(
        "DROP TABLE dropped; CREATE VIEW dropped AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
        "FROM n) SELECT 1 AS process_id, '' AS what, i AS ring_id, 0 AS records FROM n");
    EXPECT_TRUE(issues().contains("missing_table"));
    change("DROP TABLE setting; CREATE TABLE setting (process_id INTEGER, source TEXT, name TEXT,"
           " value TEXT GENERATED ALWAYS AS (hex(zeroblob(100000000))));"
           " INSERT INTO setting (process_id, source, name) VALUES (1, '', '')");
    EXPECT_TRUE(readProcess(m_file).settings.empty());
}

TEST_F(HostileFile, NamesItsMissingTablesInOneIssue)
{
    change("DROP TABLE step_mark; DROP TABLE series; DROP TABLE kernel_chunk");
    std::vector<IssueRow> found;
    for (const IssueRow& issue : readProcess(m_file).issues) {
        if (issue.id == "missing_table") {
            found.push_back(issue);
        }
    }
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].count, 3);
    for (const char* table : {"step_mark", "series", "kernel_chunk"}) {
        EXPECT_NE(found[0].message.find(table), std::string::npos) << table;
    }
}

TEST_F(HostileFile, DoesNotHideTheOthersOfItsRun)
{
    std::ofstream(m_directory / "broken.db") << "nonsense";
    const RunTrace run = openRun(m_directory.path());
    EXPECT_EQ(run.processes.size(), 1U);
    ASSERT_EQ(run.issues.size(), 1U);
    EXPECT_EQ(run.issues[0].id, "unreadable_file");
}

TEST_F(HostileFile, AloneInARunIsTheRunsError)
{
    write("nonsense");
    EXPECT_THROW(static_cast<void>(openRun(m_directory.path())), Error);
    std::filesystem::remove(m_file);
    EXPECT_THROW(static_cast<void>(openRun(m_directory.path())), Error);
}

} // namespace
} // namespace ringside::test
