// SPDX-License-Identifier: Apache-2.0
// Every query that FORMAT.md shows is one that runs; those about samples give the right figures, too.
#include "support/temporary_directory.h"
#include "support/trace_builder.h"
#include "trace/write/database.h"

#include <ringside/trace/virtual_tables.h>

#include <sqlite3.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <optional>

namespace ringside::test {
namespace {

using namespace ringside::trace;

/// What stands between ```sql and ``` in FORMAT.md.
std::vector<std::string> examples()
{
    std::ifstream file(RINGSIDE_TEST_FORMAT);
    std::vector<std::string> found;
    bool inside = false;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("```")) {
            inside = line == "```sql";
            if (inside) {
                found.emplace_back();
            }
        } else if (inside) {
            found.back() += line + "\n";
        }
    }
    return found;
}

class FormatExamples : public testing::Test {
protected:
    FormatExamples()
    {
        TraceBuilder builder(1);
        builder.steps(3, [](StepBuilder& step) {
            step.everyRank().compute(1ms);
            step.allReduce(1_MiB);
        });
        for (std::int64_t i = 0; i < 4; ++i) {
            const std::int64_t time = 1'000'000'000 + i * 100'000'000;
            builder.sample(0, {0, "nvml", "gpu0", "power_mw", "gauge", 0}, time, 300'000 + i * 1000);
            builder.sample(0, {0, "nvml", "gpu0", "sm_clock_mhz", "gauge", 0}, time, 1400 - i);
            builder.sample(0, {0, "network", "eth0", "rx_bytes", "counter", 0}, time, i * i * 1000);
        }
        auto& process = builder.process(0);
        process.series.push_back(
            {9, "nvml", "gpu0", "ecc_corrected_errors", "counter", builder.text(0, "Not Supported")});
        builder.write(m_directory / "run");
        const auto file = std::filesystem::directory_iterator(m_directory / "run")->path();
        m_database.emplace(file, SQLITE_OPEN_READONLY);
        EXPECT_EQ(registerVirtualTables(m_database->handle()), SQLITE_OK);
    }

    /// The rows of a query, columns joined by blanks.
    std::vector<std::string> rowsOf(const std::string& sql)
    {
        std::vector<std::string> rows;
        const auto add = [](void* to, int count, char** values, char**) {
            std::string row;
            for (int i = 0; i < count; ++i) {
                row += std::string(i > 0 ? " " : "") + (values[i] != nullptr ? values[i] : "NULL");
            }
            static_cast<std::vector<std::string>*>(to)->push_back(row);
            return 0;
        };
        EXPECT_EQ(sqlite3_exec(m_database->handle(), sql.c_str(), add, &rows, nullptr), SQLITE_OK)
            << sql << sqlite3_errmsg(m_database->handle());
        return rows;
    }
    /// Of the example that has `words` in it.
    std::vector<std::string> exampleWith(const std::string& words)
    {
        const auto all = examples();
        const auto found = std::ranges::find_if(
            all, [&](const std::string& sql) { return sql.find(words) != std::string::npos; });
        return found != all.end() ? rowsOf(*found) : std::vector<std::string>{"no such example"};
    }

    TemporaryDirectory m_directory;
    std::optional<Database> m_database;
};

TEST_F(FormatExamples, AllRun)
{
    const auto all = examples();
    EXPECT_GE(all.size(), 7U);
    for (const std::string& sql : all) {
        rowsOf(sql);
    }
}

TEST_F(FormatExamples, GiveMeanPowerAndLowestClock)
{
    EXPECT_EQ(exampleWith("'sm_clock_mhz'"),
              (std::vector<std::string>{"gpu0 power_mw 301500.0 300000", "gpu0 sm_clock_mhz 1398.5 1397"}));
}

TEST_F(FormatExamples, GiveWhatACounterGained)
{
    EXPECT_EQ(exampleWith("'rx_bytes'"),
              (std::vector<std::string>{"eth0 1000000000 NULL", "eth0 1100000000 10000.0",
                                        "eth0 1200000000 30000.0", "eth0 1300000000 50000.0"}));
}

TEST_F(FormatExamples, GiveWhatCouldNotBeSampledAndWhy)
{
    EXPECT_EQ(exampleWith("reason_id <> 0"),
              std::vector<std::string>{"nvml gpu0 ecc_corrected_errors Not Supported"});
}

} // namespace
} // namespace ringside::test
