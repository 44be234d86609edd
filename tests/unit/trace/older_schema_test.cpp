// SPDX-License-Identifier: Apache-2.0
// Traces of schema version 1, made from current ones by removing later tables and columns.
#include "support/temporary_directory.h"
#include "support/trace_builder.h"
#include "trace/tables.h"
#include "trace/write/database.h"

#include <ringside/trace/merge.h>
#include <ringside/trace/virtual_tables.h>

#include <gtest/gtest.h>

namespace ringside::test {
namespace {

using namespace ringside::trace;

class OlderSchema : public testing::Test {
protected:
    OlderSchema() : m_file(m_directory / "a.db")
    {
        {
            Writer writer(m_file, Writer::Mode::Create);
            writer.setProcess({"host", "boot", 1, 2, 30, "train", "1", true});
            writer.add(KernelRow{.startNs = 10, .endNs = 20, .name = 1, .correlation = 7});
            writer.add(ApiCallRow{.startNs = 1, .endNs = 2, .api = 1});
            writer.add(CopyRow{.startNs = 21, .endNs = 22, .kind = kCopyToDevice, .hostMemory = 2});
            writer.close();
        }
        Database database(m_file, SQLITE_OPEN_READWRITE);
        database.execute(
            "ALTER TABLE kernel_chunk DROP COLUMN stream; ALTER TABLE rank DROP COLUMN local_rank;"
            "DROP TABLE launch_chunk; DROP TABLE step_mark; DROP TABLE series; DROP TABLE sample_chunk;"
            "DROP TABLE memory_state; DROP TABLE memory_holder; DROP TABLE step_summary;"
            "DROP TABLE nccl_detail; DROP TABLE call_config; DROP TABLE kernel_phase_chunk; DROP TABLE "
            "operator_chunk; DROP TABLE step_traffic; DROP TABLE launch_configuration;"
            "ALTER TABLE kernel_chunk DROP COLUMN configuration_id;"
            "ALTER TABLE copy_chunk DROP COLUMN host_memory;"
            "ALTER TABLE device DROP COLUMN compute_major; ALTER TABLE device DROP COLUMN multiprocessors;"
            "CREATE TABLE sample (process_id INTEGER NOT NULL, source TEXT NOT NULL, entity TEXT NOT NULL, "
            "metric TEXT NOT NULL, time_ns INTEGER NOT NULL, value REAL) STRICT;"
            "UPDATE meta SET value = '1' WHERE key = 'schema_version'; PRAGMA user_version = 1");
    }

    void expectKernel(const ProcessTrace& trace)
    {
        ASSERT_EQ(trace.kernels.size(), 1U);
        EXPECT_EQ(trace.kernels.startNs[0], 10);
        EXPECT_EQ(trace.kernels.stream[0], 0U);
        EXPECT_EQ(trace.kernels.correlation[0], 7U);
        EXPECT_EQ(trace.kernels.configuration[0], 0U);
        EXPECT_TRUE(trace.launchConfigurations.empty());
        ASSERT_EQ(trace.copies.size(), 1U);
        EXPECT_EQ(trace.copies.hostMemory[0], 0U);
        EXPECT_TRUE(trace.issues.empty()) << trace.issues.front().message;
    }

    TemporaryDirectory m_directory;
    std::filesystem::path m_file;
};

TEST_F(OlderSchema, OpensWithoutATraceOfTrouble)
{
    expectKernel(readProcess(m_file));
}

TEST_F(OlderSchema, IsMergedIntoTodaysSchema)
{
    EXPECT_EQ(merge(m_directory.path(), m_directory / "merged.db"), 1);
    expectKernel(readProcess(m_directory / "merged.db"));
}

TEST_F(OlderSchema, IsContinuedInTodaysSchema)
{
    {
        Writer writer(m_file, Writer::Mode::Append);
        writer.setRanks({{3, 2, std::nullopt, std::nullopt, 0, "RANK"}});
        writer.add(StepRow{.number = 5, .startNs = 1, .endNs = 2});
        writer.add(LaunchRow{.startNs = 3, .endNs = 4, .correlation = 7});
        writer.add(
            SeriesRow{.id = 1, .source = "nvml", .entity = "gpu0", .metric = "power_mw", .kind = "gauge"});
        writer.add(SampleRow{.timeNs = 5, .series = 1, .value = 300'000});
        StepSummaryRow summary;
        summary.source = "mark";
        summary.startNs = 1;
        summary.computeNs = 1;
        writer.add(summary);
        writer.add(StepTrafficRow{1, 3, 1, 2, 80});
        writer.close();
    }
    const ProcessTrace trace = readProcess(m_file);
    expectKernel(trace);
    ASSERT_EQ(trace.stepSummaries.size(), 1U);
    EXPECT_EQ(trace.stepSummaries[0].computeNs, 1);
    EXPECT_EQ(trace.stepSummaries[0].idleNs, std::nullopt);
    ASSERT_EQ(trace.stepTraffic.size(), 1U);
    EXPECT_EQ(trace.stepTraffic[0].bytes, 80);
    ASSERT_EQ(trace.ranks.size(), 1U);
    EXPECT_EQ(trace.ranks[0].localRank, 2);
    EXPECT_EQ(trace.steps.size(), 1U);
    EXPECT_EQ(trace.launches.size(), 1U);
    EXPECT_EQ(trace.series.size(), 1U);
    EXPECT_EQ(trace.samples.value, Column<std::int64_t>{300'000});
    Database database(m_file, SQLITE_OPEN_READONLY);
    ASSERT_EQ(registerVirtualTables(database.handle()), SQLITE_OK);
    EXPECT_EQ(database.queryInteger("SELECT value FROM sample WHERE series_id = 1"), 300'000);
}

TEST_F(OlderSchema, IsQueriedAsToday)
{
    Database database(m_file, SQLITE_OPEN_READONLY);
    ASSERT_EQ(registerVirtualTables(database.handle()), SQLITE_OK);
    EXPECT_EQ(database.queryInteger("SELECT correlation FROM kernel WHERE stream = 0"), 7);
    EXPECT_EQ(database.queryInteger("SELECT count(*) FROM launch"), 0);
    EXPECT_EQ(database.queryInteger("SELECT count(*) FROM sample"), 0);
    EXPECT_EQ(database.queryInteger("SELECT count(*) FROM kernel_detail WHERE grid_x IS NULL AND "
                                    "theoretical_occupancy_percent IS NULL"),
              1);
}

TEST_F(OlderSchema, OfTodayMustHaveEverything)
{
    Database(m_file, SQLITE_OPEN_READWRITE)
        .execute("PRAGMA user_version = " + std::to_string(kSchemaVersion));
    const ProcessTrace trace = readProcess(m_file);
    ASSERT_FALSE(trace.issues.empty());
    EXPECT_TRUE(trace.kernels.size() == 0U);
}

CollectiveCallRow callOf(std::int64_t id, std::optional<std::uint64_t> count,
                         std::optional<std::uint64_t> bytes)
{
    CollectiveCallRow row;
    row.id = id;
    row.count = count;
    row.bytes = bytes;
    return row;
}

/// A file of today's version from before a call's size could be unknown: its column holds 0 instead.
class SizesWithoutNull : public testing::Test {
protected:
    SizesWithoutNull() : m_file(m_directory / "a.db")
    {
        {
            Writer writer(m_file, Writer::Mode::Create);
            writer.setProcess({"host", "boot", 1, 2, 30, "train", "1", true});
            writer.add(callOf(1, 100, 400));
            writer.add(callOf(2, 100, 0)); // of an unknown type
            writer.add(callOf(3, 0, 0));
            writer.add(callOf(4, std::nullopt, 0));
            writer.close();
        }
        Database database(m_file, SQLITE_OPEN_READWRITE);
        Statement made(database, "SELECT replace(sql, 'bytes INTEGER,', 'bytes INTEGER NOT NULL,') FROM "
                                 "sqlite_schema WHERE name = 'collective_call'");
        EXPECT_TRUE(made.step());
        const std::string sql = made.column<std::string>(0);
        made.reset();
        database.execute("ALTER TABLE collective_call RENAME TO before;\n" + sql +
                         ";\nINSERT INTO collective_call SELECT * FROM before;\nDROP TABLE before");
        EXPECT_EQ(database.queryInteger(
                      "SELECT \"notnull\" FROM pragma_table_info('collective_call') WHERE name = 'bytes'"),
                  1);
    }

    std::vector<std::optional<std::uint64_t>> sizes() const
    {
        std::vector<std::optional<std::uint64_t>> all;
        for (const CollectiveCallRow& call : readProcess(m_file).collectiveCalls) {
            all.push_back(call.bytes);
        }
        return all;
    }

    using Sizes = std::vector<std::optional<std::uint64_t>>;
    const TemporaryDirectory m_directory;
    const std::filesystem::path m_file;
};

TEST_F(SizesWithoutNull, AreUnknownWhereThereAreElements)
{
    EXPECT_EQ(sizes(), (Sizes{400, std::nullopt, 0, std::nullopt}));
}

TEST_F(SizesWithoutNull, TakeUnknownOnesFromNowOn)
{
    {
        Writer writer(m_file, Writer::Mode::Append);
        writer.add(callOf(5, 7, std::nullopt));
        writer.close();
    }
    EXPECT_EQ(sizes(), (Sizes{400, std::nullopt, 0, std::nullopt, std::nullopt}));
}

/// A file of today's version from before a table got one more column, as versions allow.
class ColumnAddedSince : public testing::Test {
protected:
    ColumnAddedSince() : m_file(m_directory / "a.db")
    {
        {
            Writer writer(m_file, Writer::Mode::Create);
            writer.setProcess({"host", "boot", 1, 2, 30, "train", "1", true});
            writer.setWindow({"light", 5, std::nullopt, "outside of steps 10 to 60", 1});
            writer.close();
        }
        Database(m_file, SQLITE_OPEN_READWRITE).execute("ALTER TABLE window DROP COLUMN step");
    }

    void expectWindow(const ProcessTrace& trace)
    {
        EXPECT_TRUE(trace.issues.empty()) << trace.issues.front().message;
        ASSERT_FALSE(trace.windows.empty());
        EXPECT_EQ(trace.windows[0].startNs, 5);
        EXPECT_EQ(trace.windows[0].level.text(), "light");
        EXPECT_EQ(trace.windows[0].step, std::nullopt);
    }

    TemporaryDirectory m_directory;
    std::filesystem::path m_file;
};

TEST_F(ColumnAddedSince, HasNoValue)
{
    expectWindow(readProcess(m_file));
}

TEST_F(ColumnAddedSince, HasNoValueWhereItIsMerged)
{
    EXPECT_EQ(merge(m_directory.path(), m_directory / "merged.db"), 1);
    expectWindow(readProcess(m_directory / "merged.db"));
}

TEST_F(ColumnAddedSince, IsThereWhereTheFileIsContinued)
{
    {
        Writer writer(m_file, Writer::Mode::Append);
        writer.setWindow({"standard", 9, std::nullopt, "", 10});
        writer.close();
    }
    const ProcessTrace trace = readProcess(m_file);
    expectWindow(trace);
    ASSERT_EQ(trace.windows.size(), 2U);
    EXPECT_EQ(trace.windows[1].step, 10);
}

} // namespace
} // namespace ringside::test
