// SPDX-License-Identifier: Apache-2.0
// `ringside query RUN SQL`: runs SQL over the tables of a run.
#include "cli/command.h"
#include "cli/run_input.h"
#include "cli/standard_streams.h"
#include "query/database.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <memory>

namespace ringside::cli::command_query {
namespace {

struct Options {
    std::filesystem::path run;
    std::string sql;
    std::string format = "table";
};

int query(const Options& options)
{
    query::Answer answer;
    withProgress([&](importers::Progress& progress) {
        answer = query::Database({options.run}, progress).ask(options.sql);
    });
    if (answer.mistake) {
        throw Error(ErrorCode::Usage, "invalid SQL: " + query::mistakeText(options.sql, *answer.mistake),
                    "analyzer/trace/FORMAT.md lists tables and columns; so does SELECT name FROM "
                    "sqlite_schema.");
    }
    printResult(options.format == "json"  ? query::jsonOf(answer)
                : options.format == "csv" ? report::csvTable(query::tableOf(answer))
                                          : report::plainTable(query::tableOf(answer), ""));
    return kPass;
}

Action declare(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    app.add_option("RUN", options->run, "Run directory, process file or merged file")->required();
    app.add_option("SQL", options->sql, "One SQL statement that only reads; FORMAT.md lists the tables")
        ->required();
    app.add_option("--format", options->format, "Output format")
        ->check(CLI::IsMember({"table", "csv", "json"}))
        ->capture_default_str();
    return [options] { return query(*options); };
}

constexpr std::array<Example, 2> kExamples{{
    {"ringside query run.ringside \"SELECT device, count(*) FROM kernel GROUP BY device\"",
     "Counts the kernels of each device."},
    {"ringside query run.ringside \"SELECT name FROM sqlite_schema\" --format csv", "Lists all tables."},
}};

} // namespace

RINGSIDE_COMMAND(query, .summary = "Run SQL over a run", .group = Group::Understand, .examples = kExamples,
                 .declare = declare);

} // namespace ringside::cli::command_query
