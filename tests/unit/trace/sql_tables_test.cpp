// SPDX-License-Identifier: Apache-2.0
#include "support/temporary_directory.h"
#include "support/trace_builder.h"
#include "trace/write/database.h"

#include <ringside/error.h>
#include <ringside/trace/virtual_tables.h>

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <random>

namespace ringside::test {
namespace {

using namespace ringside::trace;

constexpr int kChunks = 5;

/// Kernels over several chunks, with jitter.
class SqlTables : public testing::Test {
protected:
    SqlTables()
    {
        Writer writer(file(), Writer::Mode::Create);
        writer.setProcess({});
        writer.defineString(1, "a");
        writer.defineString(2, "b");
        std::mt19937 random(5);
        std::int64_t now = 1'000'000;
        for (std::uint32_t i = 0; i < kChunks * 65536 - 100; ++i) {
            now += 1000 + static_cast<std::int64_t>(random() % 500);
            writer.add(KernelRow{now, now + 100 + static_cast<std::int64_t>(random() % 5000), 1 + i % 2, 0,
                                 7 + i % 2, i});
            writer.add(CallCorrelationRow{i, i / 2});
        }
        writer.close();
        m_kernels = readProcess(file()).kernels;
    }

    [[nodiscard]] std::filesystem::path file() const { return m_directory / "a.db"; }

    struct Open {
        explicit Open(const std::filesystem::path& file) : database(file, SQLITE_OPEN_READWRITE)
        {
            registered = registerVirtualTables(database.handle());
        }
        Database database;
        int registered;
    };

    TemporaryDirectory m_directory;
    KernelColumns m_kernels;
};

TEST_F(SqlTables, GiveEveryRowOfTheReader)
{
    Open open(file());
    ASSERT_EQ(open.registered, SQLITE_OK);
    Statement rows(open.database,
                   "SELECT start_ns, end_ns, name_id, device, stream, correlation, process_id FROM kernel");
    std::size_t i = 0;
    for (; rows.step(); ++i) {
        ASSERT_LT(i, m_kernels.size());
        ASSERT_EQ(rows.column<std::int64_t>(0), m_kernels.startNs[i]);
        ASSERT_EQ(rows.column<std::int64_t>(1), m_kernels.endNs[i]);
        ASSERT_EQ(rows.column<StringId>(2), m_kernels.name[i]);
        ASSERT_EQ(rows.column<std::uint32_t>(4), m_kernels.stream[i]);
        ASSERT_EQ(rows.column<std::uint32_t>(5), m_kernels.correlation[i]);
        ASSERT_EQ(rows.column<std::int64_t>(6), 1);
    }
    EXPECT_EQ(i, m_kernels.size());
    EXPECT_EQ(open.database.queryInteger("SELECT sum(call_id) FROM call_correlation WHERE correlation < 10"),
              20);
    EXPECT_EQ(open.database.queryInteger("SELECT count(*) FROM copy"), 0);
}

TEST_F(SqlTables, PrunedByTimeGiveTheSameRows)
{
    Open open(file());
    std::mt19937 random(6);
    const auto anyTime = [&] {
        return m_kernels.startNs[random() % m_kernels.size()] + static_cast<std::int64_t>(random() % 3) - 1;
    };
    for (int round = 0; round < 40; ++round) {
        const std::int64_t a = anyTime();
        const std::int64_t b = anyTime();
        const std::array<std::string, 4> operators{">", ">=", "<", "<="};
        const std::string where = "start_ns " + operators[random() % 4] + " " + std::to_string(a) +
                                  " AND end_ns " + operators[random() % 4] + " " + std::to_string(b);
        // A unary plus keeps the constraint from the virtual table.
        std::string unpruned = where;
        unpruned.replace(unpruned.find("end_ns"), 6, "+end_ns").insert(0, "+");
        EXPECT_EQ(open.database.queryInteger("SELECT count(*) FROM kernel WHERE " + where),
                  open.database.queryInteger("SELECT count(*) FROM kernel WHERE " + unpruned))
            << where;
    }
}

TEST_F(SqlTables, DoNotTouchChunksOutsideOfTheRange)
{
    const std::int64_t end = m_kernels.startNs.front() + 1000;
    Database(file(), SQLITE_OPEN_READWRITE).execute("UPDATE kernel_chunk SET start_ns = x'00' WHERE id > 1");
    Open open(file());
    EXPECT_GT(
        open.database.queryInteger("SELECT count(*) FROM kernel WHERE start_ns < " + std::to_string(end)), 0);
    EXPECT_THROW(static_cast<void>(open.database.queryInteger("SELECT sum(start_ns) FROM kernel")), Error);
}

TEST_F(SqlTables, TakeConstraintsThatAreNoIntegers)
{
    Open open(file());
    const auto all = static_cast<std::int64_t>(m_kernels.size());
    EXPECT_EQ(open.database.queryInteger("SELECT count(*) FROM kernel WHERE start_ns > 1.5"), all);
    EXPECT_EQ(open.database.queryInteger("SELECT count(*) FROM kernel WHERE start_ns < 'text'"), all);
    EXPECT_EQ(open.database.queryInteger("SELECT count(*) FROM kernel WHERE start_ns > NULL"), 0);
    EXPECT_EQ(open.database.queryInteger("SELECT count(*) FROM kernel WHERE process_id = 2"), 0);
}

TEST(SqlTablesOfAnotherDatabase, SayThatItIsNoTrace)
{
    const TemporaryDirectory directory;
    Database database(directory / "other.db", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    ASSERT_EQ(registerVirtualTables(database.handle()), SQLITE_OK);
    try {
        static_cast<void>(database.queryInteger("SELECT count(*) FROM kernel"));
        FAIL() << "there is nothing to count";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("is not a Ringside trace"), std::string::npos)
            << error.what();
    }
}

/// What a command prints.
std::string outputOf(const std::string& command)
{
    std::string text;
    std::FILE* const pipe = popen(command.c_str(), "r");
    std::array<char, 256> buffer{};
    while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) {
        text += buffer.data();
    }
    pclose(pipe);
    return text;
}

TEST_F(SqlTables, ComeWithTheExtensionInPlainSqlite)
{
    if (outputOf("command -v sqlite3").empty()) {
        GTEST_SKIP() << "there is no sqlite3 shell";
    }
    const std::string shell =
        "sqlite3 -readonly " + file().string() + " '.load " RINGSIDE_TEST_EXTENSION "' ";
    EXPECT_EQ(outputOf(shell + "'SELECT count(*) FROM kernel'"), std::to_string(m_kernels.size()) + "\n");
    EXPECT_EQ(outputOf(shell +
                       "\"SELECT text, count(*) FROM kernel JOIN string ON id = name_id WHERE correlation < 5"
                       " GROUP BY text\""),
              "a|3\nb|2\n");
}

} // namespace
} // namespace ringside::test
