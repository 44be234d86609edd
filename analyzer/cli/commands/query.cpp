// SPDX-License-Identifier: Apache-2.0
// `ringside query RUN [SQL]`: runs SQL over the tables of a run, or lists them.
#include "cli/command.h"
#include "cli/run_input.h"
#include "cli/standard_streams.h"
#include "query/database.h"
#include "trace/shell_word.h"

#include <ringside/error.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

namespace ringside::cli::command_query {
namespace {

struct Options {
    std::filesystem::path run;
    std::string sql;
    std::string format = "table";
};

/// What a person queries: a chunked table by its name, and not as it is stored.
query::Answer tablesOf(const query::Database& database)
{
    query::Answer answer;
    answer.columns = {"table", "columns"};
    for (const query::TableNames& table : database.tables()) {
        answer.rows.push_back({table.name, fmt::format("{}", fmt::join(table.columns, ", "))});
    }
    return answer;
}

int query(const Options& options)
{
    query::Answer answer;
    withProgress([&](importers::Progress& progress) {
        query::Database database({options.run}, progress);
        answer = options.sql.empty() ? tablesOf(database) : database.ask(options.sql);
    });
    if (answer.mistake) {
        throw Error(
            ErrorCode::Usage, "invalid SQL: " + query::mistakeText(options.sql, *answer.mistake),
            fmt::format("Its tables and columns: ringside query {}", trace::shellWord(options.run.string())));
    }
    printResult(options.format == "json"  ? query::jsonOf(answer)
                : options.format == "csv" ? document::csvTable(query::tableOf(answer))
                                          : document::plainTable(query::tableOf(answer), ""));
    return kPass;
}

Action declare(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    app.add_option("RUN", options->run, "Run directory, process file or merged file")->required();
    app.add_option("SQL", options->sql,
                   "One SQL statement that only reads; default: list the tables and their columns");
    app.add_option("--format", options->format, "Output format")
        ->check(CLI::IsMember({"table", "csv", "json"}))
        ->capture_default_str();
    return [options] { return query(*options); };
}

constexpr std::array<Example, 3> kExamples{{
    {"ringside query run.ringside",
     "Lists the tables, such as kernel and collective_call, and their columns."},
    {"ringside query run.ringside \"SELECT device, count(*) FROM kernel GROUP BY device\"",
     "Counts the kernels of each device."},
    {"ringside query run.ringside \"SELECT kernel, end_ns - start_ns AS ns FROM kernel_detail\" --format csv",
     "Lists the kernels by name."},
}};

} // namespace

RINGSIDE_COMMAND(query, .summary = "Run SQL over a run", .group = Group::Understand, .examples = kExamples,
                 .declare = declare);

} // namespace ringside::cli::command_query
