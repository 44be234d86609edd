// SPDX-License-Identifier: Apache-2.0
// SQL over runs: what is answered, what is refused and where it is wrong, limits and cancelling.
#include "query/database.h"
#include "query/examples.h"
#include "support/temporary_directory.h"
#include "support/trace_builder.h"

#include <ringside/error.h>

#include <gtest/gtest.h>

namespace ringside::query {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr const char* kEndless =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";

class Query : public testing::Test {
protected:
    Query()
    {
        test::TraceBuilder trace(2);
        trace.steps(4, [](test::StepBuilder& step) {
            step.everyRank().compute(1ms);
            step.allReduce(1024, {.takes = 100us});
        });
        trace.write(run());
    }
    [[nodiscard]] fs::path run() const { return m_folder / "a.ringside"; }
    [[nodiscard]] Database open() const { return open({run()}); }
    [[nodiscard]] static Database open(const std::vector<fs::path>& paths)
    {
        importers::Progress nobody;
        return {paths, nobody};
    }
    [[nodiscard]] std::string mistakeOf(const std::string& sql) const
    {
        const Answer answer = open().ask(sql);
        return answer.mistake ? mistakeText(sql, *answer.mistake) : "none";
    }
    [[nodiscard]] static Limits atMost(std::size_t rows)
    {
        Limits limits;
        limits.rows = rows;
        return limits;
    }
    test::TemporaryDirectory m_folder;
};

TEST_F(Query, OneStatementSeesAllRanks)
{
    const Answer answer = open().ask("SELECT count(DISTINCT process_id), count(*) > 0 FROM kernel");
    ASSERT_EQ(answer.rows.size(), 1U);
    EXPECT_EQ(std::get<std::int64_t>(answer.rows[0][0]), 2);
    EXPECT_EQ(std::get<std::int64_t>(answer.rows[0][1]), 1);
    EXPECT_EQ(answer.end, End::Complete);
}

TEST_F(Query, FilesGivenOneByOneAreOneRun)
{
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(run())) {
        files.push_back(entry.path());
    }
    ASSERT_EQ(files.size(), 2U);
    const Answer answer = open(files).ask("SELECT count(*) FROM process");
    EXPECT_EQ(std::get<std::int64_t>(answer.rows[0][0]), 2);
}

TEST_F(Query, ValuesKeepTheirKinds)
{
    const Answer answer = open().ask("SELECT NULL AS a, 3 AS b, 0.5 AS c, 'x,\"y' AS d, x'0102' AS e");
    EXPECT_EQ(document::csvTable(tableOf(answer)), "a,b,c,d,e\n,3,0.5,\"x,\"\"y\",<2 bytes>\n");
    EXPECT_NE(jsonOf(answer).find("\"a\": null"), std::string::npos);
    EXPECT_EQ(document::cellText(tableOf(answer).rows[0][3]), "x,\"y");
}

TEST_F(Query, AMistakeHasAPlace)
{
    EXPECT_EQ(mistakeOf("SELECT 1,\n  nonsense FROM kernel"), "line 2, column 3: no such column: nonsense");
    EXPECT_EQ(mistakeOf("SELECT 'ä', nonsense"), "line 1, column 13: no such column: nonsense");
    EXPECT_EQ(mistakeOf("  -- nothing"), "it is empty");
    EXPECT_EQ(mistakeOf("SELECT 1;\n SELECT 2"),
              "line 2, column 2: only one statement is allowed: another one begins here");
    EXPECT_EQ(mistakeOf("SELECT 1; -- and no more"), "none");
}

TEST_F(Query, NothingCanBeWritten)
{
    const fs::path stranger = m_folder / "stranger.db";
    for (const std::string& sql :
         {std::string("DELETE FROM rank"), std::string("CREATE TABLE x(y)"), std::string("DROP TABLE rank"),
          std::string("PRAGMA user_version = 7"), "VACUUM INTO '" + stranger.string() + "'"}) {
        EXPECT_NE(mistakeOf(sql), "none") << sql;
    }
    EXPECT_EQ(mistakeOf("ATTACH '" + stranger.string() + "' AS s"),
              "line 1, column 1: only statements that read are allowed: a run is never changed");
    EXPECT_NE(mistakeOf("PRAGMA mmap_size = 1"), "none"); // SQLite calls it reading
    EXPECT_NE(mistakeOf("SELECT load_extension('x')"), "none");
    Database database = open();
    EXPECT_FALSE(fs::exists(stranger));
    EXPECT_EQ(std::get<std::int64_t>(database.ask("SELECT count(*) FROM rank").rows[0][0]), 2);
}

TEST_F(Query, RowsEndAtTheirLimitWithANotice)
{
    Database database = open();
    const Answer some = database.ask(kEndless, atMost(10));
    EXPECT_EQ(some.rows.size(), 10U);
    EXPECT_EQ(some.end, End::RowLimit);
    EXPECT_EQ(endText(some), "Only the first 10 rows are shown.");
    const Answer all = database.ask("SELECT rank FROM rank", atMost(2));
    EXPECT_EQ(all.rows.size(), 2U);
    EXPECT_EQ(all.end, End::Complete);
    EXPECT_EQ(endText(all), "");
}

TEST_F(Query, RowsEndAtTheirBytes)
{
    Limits limits;
    limits.bytes = 2500;
    const Answer answer =
        open().ask("SELECT hex(zeroblob(500)) FROM (" + std::string(kEndless) + ")", limits);
    EXPECT_EQ(answer.rows.size(), 3U);
    EXPECT_EQ(answer.end, End::RowLimit);
}

TEST_F(Query, EndlessOnesEndAtTheTimeLimit)
{
    Limits limits;
    limits.time = 20ms;
    const Answer answer = open().ask("SELECT count(*) FROM (" + std::string(kEndless) + ")", limits);
    EXPECT_EQ(answer.end, End::TimeLimit);
    EXPECT_TRUE(answer.rows.empty());
}

TEST_F(Query, CanBeCancelledAndAskedAgain)
{
    Database database = open();
    std::stop_source source;
    source.request_stop();
    Limits limits;
    limits.stop = source.get_token();
    EXPECT_EQ(database.ask(kEndless, limits).end, End::Cancelled);
    EXPECT_EQ(database.ask("SELECT 1").rows.size(), 1U);
}

TEST_F(Query, TablesHaveTheirColumns)
{
    const std::vector<TableNames> tables = open().tables();
    const auto named = [&](const std::string& name) {
        return std::ranges::find(tables, name, &TableNames::name);
    };
    ASSERT_NE(named("kernel"), tables.end());
    EXPECT_EQ(named("kernel")->columns.front(), "process_id");
    EXPECT_NE(named("rank"), tables.end());
    EXPECT_EQ(named("kernel_chunk"), tables.end());
    EXPECT_NE(named("kernel_detail"), tables.end());
    for (const TableNames& table : tables) {
        std::string list;
        for (const std::string& column : table.columns) {
            list += (list.empty() ? "" : ", ") + column;
        }
        EXPECT_FALSE(open().ask("SELECT " + list + " FROM \"" + table.name + "\" LIMIT 1").mistake)
            << table.name;
    }
}

TEST_F(Query, KernelsHaveTheirLaunchConfiguration)
{
    const Answer answer = open().ask("SELECT kernel, grid_x, shared_bytes, theoretical_occupancy_percent,"
                                     " estimated_occupancy_percent IS NULL FROM kernel_detail LIMIT 1");
    ASSERT_EQ(answer.rows.size(), 1U);
    EXPECT_EQ(std::get<std::string>(answer.rows[0][0]), "ampere_sgemm_128x64_nn");
    EXPECT_EQ(std::get<std::int64_t>(answer.rows[0][1]), 264);
    EXPECT_EQ(std::get<std::int64_t>(answer.rows[0][2]), 17408);
    EXPECT_EQ(std::get<double>(answer.rows[0][3]), 50);
    EXPECT_EQ(std::get<std::int64_t>(answer.rows[0][4]), 1);
    EXPECT_EQ(open().ask("SELECT 1 WHERE theoretical_occupancy(9, 0, 'x', NULL, -1) IS NULL").rows.size(),
              1U);
}

TEST_F(Query, EveryExampleRuns)
{
    ASSERT_FALSE(examples().empty());
    Database database = open();
    for (const Example& example : examples()) {
        const Answer answer = database.ask(std::string(example.sql));
        EXPECT_FALSE(answer.mistake) << example.title << ": " << mistakeText(example.sql, *answer.mistake);
        EXPECT_GE(answer.columns.size(), 2U) << example.title;
    }
}

TEST_F(Query, WhatIsNoRunIsRefused)
{
    EXPECT_THROW(static_cast<void>(open({m_folder / "nothing"})), Error);
}

} // namespace
} // namespace ringside::query
