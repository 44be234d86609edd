// SPDX-License-Identifier: Apache-2.0
// Files that open, but whose rows lie: every number of every table at its extremes still gives a report that
// is JSON. The sanitizer builds run this too.
#include "export/exporter.h"
#include "report/format.h"
#include "support/temporary_directory.h"
#include "support/trace_builder.h"
#include "trace/tables.h"
#include "trace/utf8.h"
#include "trace/write/database.h"

#include <ringside/error.h>
#include <ringside/trace/merge.h>

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace ringside::report {
namespace {

using namespace test;

/// By another reader's rules than the code under test: every character complete, shortest and no surrogate.
bool isUtf8(const std::string& text)
{
    try {
        return !nlohmann::json(text).dump().empty();
    } catch (const nlohmann::json::type_error&) {
        return false;
    }
}

/// What is shown holds no control characters and only UTF-8, and nothing in it is taken for markup. JSON
/// keeps names as they are.
void expectHarmless(const Format& format, const std::string& text)
{
    const bool data = format.id == "json" || format.id == "sarif" || format.id == "benchmark_json";
    EXPECT_TRUE(data ? nlohmann::json::accept(text) : trace::shownText(text, ' ', "\n") == text) << format.id;
    EXPECT_TRUE(isUtf8(text)) << format.id;
    EXPECT_TRUE(format.id != "html" || text.find("<script>") == std::string::npos);
    EXPECT_TRUE(format.id != "html" || text.size() < 5'000'000) << "a page that browsers open";
    EXPECT_TRUE(format.id != "github" || text.find("\n::stop") == std::string::npos);
}

/// Every export is written; those that are one text are what their readers take.
void expectExports(const Report& report, const std::filesystem::path& output)
{
    for (const exporting::Exporter* exporter : exporting::all()) {
        exporting::writeWhole(*exporter, report, output);
        const std::string text = std::filesystem::is_regular_file(output) ? contentOf(output) : "";
        EXPECT_TRUE(exporter->id != "chrome" || nlohmann::json::accept(text));
        EXPECT_TRUE(exporter->id != "prometheus" ||
                    (isUtf8(text) && trace::shownText(text, ' ', "\n") == text));
        EXPECT_GT(std::filesystem::remove_all(output), 0U) << exporter->id;
    }
}

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
        expectExports(report, m_folder / "export");
        for (const Format& format : formats()) {
            if (format.writeFolder != nullptr) {
                const std::filesystem::path folder = m_folder / "files";
                format.writeFolder(report, folder);
                EXPECT_GT(std::filesystem::remove_all(folder), 1U);
                continue;
            }
            const std::string text = format.render(report);
            EXPECT_FALSE(text.empty());
            expectHarmless(format, text);
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

TEST_F(HostileRows, CannotDriveATerminalNorAPage)
{
    // Escape sequences of 7 and 8 bits, no UTF-8 (a lone byte, a surrogate, an overlong form, a character
    // beyond the last), a character that XML forbids, markup, SQL, a new line.
    constexpr const char* kHostile = "CAST(x'1B5B324A' || x'C29B324A' || x'FFEDA080E08080F4908080EFBFBE' || "
                                     "'<script>x</script>''; DROP TABLE rank; --' || "
                                     "x'0A' || '::stop-commands::x' AS TEXT)";
    for (const std::string& value : {std::string(kHostile), std::string("printf('%.*c', 1000000, 'x')")}) {
        trace::forEachPlainTable([&]<class Row>(trace::TableOf<Row>) {
            trace::TableOf<Row>::forEachColumn([&](const char* column, auto member) {
                if constexpr (std::is_same_v<std::remove_cvref_t<decltype(Row{}.*member)>, std::string>) {
                    expectReportAfter(std::string("UPDATE OR IGNORE ") + trace::TableOf<Row>::kName +
                                      " SET " + column + " = " + value);
                }
            });
        });
        expectReportAfter("UPDATE string SET text = " + value);
        expectReportAfter("INSERT INTO issue SELECT process_id, " + value + ", 'warning', 1, " + value +
                          " FROM process LIMIT 1");
    }
}

} // namespace
} // namespace ringside::report
