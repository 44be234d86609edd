// SPDX-License-Identifier: Apache-2.0
// One SQL statement that only reads, within limits of rows, bytes and time.
#include "mcp/answer.h"
#include "mcp/arguments.h"
#include "mcp/tool.h"

#include <ringside/error.h>

#include <fmt/format.h>

namespace ringside::mcp::tool_sql {
namespace {

constexpr std::int64_t kMostRows = 1000;
constexpr std::size_t kMostBytes = std::size_t{4} << 20U;
constexpr std::chrono::seconds kTime{20};

Json properties()
{
    return {{"statement", property("string", "One SELECT of SQLite; without it, the tables and their columns "
                                             "are listed")},
            {"rows", property("integer", "At most this many rows, 1 to 1000; default 100")}};
}

Json tablesJson(const query::Database& database)
{
    Json tables = Json::object();
    for (const query::TableNames& table : database.tables()) {
        tables[table.name] = table.columns;
    }
    return {{"tables", tables}};
}

Json rowsJson(const query::Answer& answer)
{
    Json rows = Json::parse(query::jsonOf(answer));
    addCites(rows, "");
    return {{"rows", rows}};
}

Answer call(Runs& runs, const Json& arguments)
{
    const std::shared_ptr<Run> run = runs.open(arguments);
    const auto rows = numberIn(arguments, "rows", 1, kMostRows).value_or(100);
    const auto statement = textIn(arguments, "statement");
    const std::string command = fmt::format("ringside query {}", wordOf(run->path()));
    if (!statement) {
        return {tablesJson(run->database()), command, {}};
    }
    query::Limits limits;
    limits.rows = static_cast<std::size_t>(rows);
    limits.bytes = kMostBytes;
    limits.time = kTime;
    const query::Answer answer = run->database().ask(*statement, limits);
    if (answer.mistake) {
        throw Error(ErrorCode::Usage, "invalid SQL: " + query::mistakeText(*statement, *answer.mistake),
                    "Call sql without a statement for the tables and their columns.");
    }
    return {rowsJson(answer), command + " STATEMENT --format json",
            "Select fewer columns or rows: LIMIT, OFFSET, GROUP BY.", query::endText(answer)};
}

} // namespace

RINGSIDE_MCP_TOOL(sql, .title = "SQL over a run",
                  .description = "Runs one SELECT over the tables of a run, such as kernel, collective_call, "
                                 "step_mark and sample. Times are in ns. It stops after 20 s or 1,000 rows.",
                  .properties = properties, .call = call);

} // namespace ringside::mcp::tool_sql
