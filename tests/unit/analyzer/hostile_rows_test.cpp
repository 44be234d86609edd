// SPDX-License-Identifier: Apache-2.0
// Files that open, but whose rows lie: every number of every table at its extremes still gives a report that
// is JSON. The sanitizer builds run this too.
#include "report/format.h"
#include "support/trace_builder.h"
#include "trace/tables.h"
#include "trace/write/database.h"
#include "unit/trace/temporary_directory.h"

#include <ringside/error.h>
#include <ringside/trace/merge.h>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ringside::report {
namespace {

using namespace test;

class HostileRows : public testing::Test {
protected:
    HostileRows() : m_good(m_folder / "good.db"), m_file(m_folder / "bad.db")
    {
        TraceBuilder builder(2);
        builder.host(1, "host1", 5ms, 20).setting("environment", "NCCL_ALGO", "Ring");
        builder.steps(12, [](StepBuilder& step) {
            step.everyRank().host(1ms, "data").compute(2ms).copy(1_MiB, 100us);
            step.rank(1).compute(1ms);
            step.allReduce(256_KiB, {.takes = 300us, .overlapped = true});
            step.allReduce(1_MiB, {.takes = 500us});
        });
        builder.write(m_folder / "run.ringside");
        trace::merge(m_folder / "run.ringside", m_good);
    }

    /// Changes a copy of the good file and reports on it.
    void expectReportAfter(const std::string& sql)
    {
        SCOPED_TRACE(sql);
        std::filesystem::copy_file(m_good, m_file, std::filesystem::copy_options::overwrite_existing);
        trace::Database(m_file, SQLITE_OPEN_READWRITE).execute(sql);
        const Report report = buildReport(trace::openRun(m_file), {});
        for (const Format* format : all()) {
            if (format->writeFolder != nullptr) {
                const std::filesystem::path folder = m_folder / "files";
                format->writeFolder(report, folder);
                EXPECT_GT(std::filesystem::remove_all(folder), 1U);
                continue;
            }
            const std::string text = format->render(report, Colour::Never);
            EXPECT_FALSE(text.empty());
            EXPECT_TRUE(format->id != "json" || nlohmann::json::accept(text));
        }
    }

    void expectReportsForColumn(const std::string& table, const std::string& column)
    {
        for (const char* const value : {"9223372036854775807", "-9223372036854775808", "-1", "1 << 58"}) {
            expectReportAfter("UPDATE OR IGNORE " + table + " SET " + column + " = " + value);
        }
        expectReportAfter("UPDATE OR IGNORE " + table + " SET " + column + " = (1 << 58) * (rowid % 3 - 1)");
    }

    TemporaryDirectory m_folder;
    std::filesystem::path m_good;
    std::filesystem::path m_file;
};

TEST_F(HostileRows, GiveAReportWhateverTheirNumbers)
{
    trace::forEachPlainTable([&]<class Row>(trace::TableOf<Row>) {
        trace::TableOf<Row>::forEachColumn([&](const char* column, auto member) {
            using Value = std::remove_cvref_t<decltype(Row{}.*member)>;
            if constexpr (!std::is_same_v<Value, std::string> &&
                          !std::is_same_v<Value, std::optional<double>>) {
                expectReportsForColumn(trace::TableOf<Row>::kName, column);
            }
        });
    });
}

TEST_F(HostileRows, GiveAReportWhateverTheirColumnsHold)
{
    // Constant columns: encoding Values, width 0, every row the base.
    for (const char* const base :
         {"FFFFFFFFFFFFFF7F", "0000000000000080", "0000000000000004", "0000000000000000"}) {
        for (const char* const table : {"kernel", "copy", "api_call", "launch"}) {
            for (const char* const column : {"start_ns", "end_ns"}) {
                expectReportAfter(std::string("UPDATE ") + table + "_chunk SET " + column +
                                  " = CAST(x'01000000' || substr(" + column +
                                  ", 5, 4) || x'0000000000000000" + base + "' AS BLOB)");
            }
        }
    }
}

TEST_F(HostileRows, CannotDriveATerminal)
{
    std::filesystem::copy_file(m_good, m_file, std::filesystem::copy_options::overwrite_existing);
    trace::Database(m_file, SQLITE_OPEN_READWRITE)
        .execute(
            "INSERT INTO issue SELECT process_id, 'x' || char(27), 'warning', 1, char(27) || '[2J| a <b>' "
            "FROM process LIMIT 1");
    const Report report = buildReport(trace::openRun(m_file), {});
    for (const Format* format : all()) {
        if (format->writeFolder != nullptr) {
            continue; // files, not for a terminal
        }
        EXPECT_EQ(format->render(report, Colour::Never).find('\x1b'), std::string::npos) << format->id;
    }
}

} // namespace
} // namespace ringside::report
